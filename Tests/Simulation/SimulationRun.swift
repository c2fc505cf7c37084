import Crypto
import EventSourcing
import EventStore
import Host
import HubStore
import SensorIngest
import TestKit
import TraceLedger
import Vocabulary

/// A simulated day of a farm server in one thread: the ledger, two sensor-ingests and their clients, with a simulated
/// clock, network and disks. The same seed always gives the same run.
final class SimulationRun {
    static let hub = 0
    static let origins = [1, 2]
    static let epoch: Int64 = 1_780_000_000_000_000
    private static let clients = 8
    private static let bursts = 24
    private static let commandsEach = 11
    /// The retention of raw reports. The other periods of the trusted clock are shortened in proportion.
    static let retentionSeconds = 21_600.0
    private static let runEvents: Position = 64
    private static let fiftyYears: Int64 = 1_577_836_800_000_000

    enum Action {
        case deliver(Parcel)
        case round(Int)
        case tick(Int)
        case start(Int)
        case client(Int, Int)
        case fault
        case heal
        /// A clock that was ahead is set back by that number of microseconds.
        case setBack(Int, Int64)
    }

    let seed: UInt64
    let mutant: Mutant?
    var random: SplitMix64
    private(set) var now: Int64 = 0
    private(set) var machines: [any SimulatedMachine] = []
    private var clients: [Client] = []
    var script = Script()
    var tally = Tally()
    private(set) var violations: [String] = []
    private var agenda = Agenda<Action>()
    private var apart: Set<Set<Int>> = []
    private var isNetworkBad = false
    /// Whether the next page is sent with a changed byte.
    private var isDamaging = false
    private var isHealed = false
    private var forgiven: Set<Int> = []
    /// The ids of reports that were pruned.
    private(set) var pruned: Set<String> = []

    init(seed: UInt64, mutant: Mutant?) throws {
        self.seed = seed
        self.mutant = mutant
        random = SplitMix64(seed: seed)
        let start = Instant(microseconds: Self.epoch)
        let ledger = try MemoryHub(feed: "trace-ledger/farm-0", why: "world", at: start, chance: .seeded(random.next()))
        let printer = LabelPrinter(kid: "AB2C", publicKey: [], publicURL: nil, sign: { $0 })
        let disk = SimulatedDisk(ledger)
        machines.append(
            SimulatedService<TraceLedger>("trace-ledger/farm-0", number: 0, disk: disk, in: self) {
                TraceLedger(printer: printer, archive: NoArchive(disk), zones: Zones())
            })
        for number in Self.origins {
            let origin = Origin(service: "sensor-ingest", site: "farm", slot: number - 1)
            let log = try MemoryLog(feed: origin.description, why: "world", at: start, chance: .seeded(random.next()))
            let disk = SimulatedDisk(log)
            machines.append(
                SimulatedService<SensorIngest>(origin.description, number: number, disk: disk, in: self) {
                    SensorIngest(
                        slot: number - 1, origin: origin, radios: [], retention: try Self.retention(disk, mutant),
                        random: { Array(repeating: 7, count: $0) })
                })
        }
        for number in machines.indices where random.next() % 8 == 0 { setAhead(number) }
        for number in 0..<Self.clients {
            clients.append(Client(100 + number, in: self, founding: number == 0 ? Script.founding : []))
        }
    }

    /// Returns a retention that prunes runs of a few events after some hours.
    private static func retention(_ disk: SimulatedDisk, _ mutant: Mutant?) throws -> Retention {
        let reader = try disk.log.reader()
        guard let reader = reader as? MemoryReader else {
            throw LogFailure(operation: "simulate", message: "the journal is not in memory")
        }
        var clock = TrustedClock()
        (clock.freezeSeconds, clock.markSeconds) = (5_400, 600)
        let wallClock: Retention.Horizon = { reading, _ in min(reading.now, reading.wall) }
        return Retention(
            seconds: retentionSeconds, clock: clock, horizon: mutant == .trustsWallClock ? wallClock : nil, pause: 0.5
        ) { last in
            let entries = reader.read(from: last + 1, events: Int(runEvents), bytes: .max)
            // The last entries are not pruned, because they are verified when the journal is opened.
            return reader.head().position > last + 2 * runEvents ? entries : nil
        }
    }

    /// Identifies the sender as a connection does: a restarted process has a new connection.
    static func peer(_ machine: Int, _ incarnation: UInt64) -> [UInt8] {
        [UInt8(machine), UInt8(truncatingIfNeeded: incarnation)]
    }
    static func number(of feed: String) -> Int { feed.hasSuffix("-0") ? 1 : 2 }

    /// Runs the whole day and returns the violations.
    func execute() throws -> [String] {
        for machine in machines.indices {
            if try !machines[machine].start() { plan(.start(machine), in: 1000) }
            plan(.tick(machine), in: 0)
        }
        clients[0].begin(0)
        try run(until: { self.clients[0].isIdle }, patience: 60)
        for _ in 0..<Self.bursts where violations.isEmpty {
            // The time between two bursts of commands is skipped.
            now += 86_400_000_000 / Int64(Self.bursts)
            for client in clients { client.begin(Self.commandsEach) }
            for _ in 0..<2 { plan(.fault, in: Int64(random.next() % 2_000_000)) }
            try run(until: { self.clients.allSatisfy(\.isIdle) }, patience: 120)
        }
        heal()
        isHealed = true
        let quiet = now + 12_000_000
        try run(until: { self.now >= quiet && self.isSettled }, patience: 60)
        violations += try Verdict(self, clients.flatMap(\.done)).violations
        return violations
    }

    private func run(until isDone: () -> Bool, patience seconds: Int64) throws {
        let end = now + seconds * 1_000_000
        while !isDone() {
            guard let (time, action) = agenda.next() else { return }
            now = max(now, time)
            guard now < end else { return addViolation("there is no progress any more (\(status))") }
            try perform(action)
        }
    }

    private var status: String {
        let waiting = clients.compactMap { client in client.current.map { "\($0.verb) to \($0.to)" } }
        return "waiting: \(waiting); up: \(machines.map(\.isUp)); stopped: \(machines.flatMap(\.stopped))"
    }

    /// Whether the hub has mirrored all journals, and all services have received the hub's.
    private var isSettled: Bool {
        guard machines.allSatisfy(\.isUp), let hub = machines[Self.hub].disk.log as? MemoryHub else { return false }
        return Self.origins.allSatisfy { number in
            let head = machines[number].disk.log.head
            return machines[Self.hub].hasAll(of: head.feed, through: head.position)
                && machines[number].hasAll(of: "hub", through: hub.hubHead.position)
        }
    }

    private func perform(_ action: Action) throws {
        switch action {
        case .deliver(let parcel):
            switch parcel.cargo {
            case .answer(let key, let answer) where parcel.to >= 100: clients[parcel.to - 100].receive(key, answer)
            default: if parcel.to < machines.count { machines[parcel.to].arrive(parcel) }
            }
        case .round(let number): try machines[number].round()
        case .tick(let number):
            machines[number].tick()
            plan(.tick(number), in: 100_000)
        case .start(let number): if try !machines[number].start() { plan(.start(number), in: 200_000) }
        case .client(let number, let attempt): clients[number - 100].act(attempt)
        case .fault: try injectFault()
        case .heal: heal()
        case .setBack(let number, let skew):
            machines[number].skew -= skew
            if random.next() % 4 == 0 { try restartMachine(number) }
        }
    }

    /// Sets a machine's clock an hour to fifty years ahead, for ten seconds to ten minutes.
    private func setAhead(_ number: Int) {
        let hour: Int64 = 3_600_000_000
        let most = min(Self.fiftyYears, hour << Int64(random.next() % 19))
        let skew = hour + Int64(random.next() % UInt64(most))
        machines[number].skew += skew
        plan(.setBack(number, skew), in: 10_000_000 + Int64(random.next() % 590_000_000))
    }

    /// Restarts a machine and its service.
    private func restartMachine(_ number: Int) throws {
        machines[number].boot += 1
        try machines[number].crash()
    }

    func prune(_ id: UUID) { pruned.insert("\(id)") }

    func plan(_ action: Action, in microseconds: Int64) { plan(action, at: now + microseconds) }
    func plan(_ action: Action, at time: Int64) { agenda.plan(action, at: time) }
    func restart(_ number: Int) {
        forgiven.remove(number)
        plan(.start(number), in: 20_000 + Int64(random.next() % 1_500_000))
    }
    func isSyncForgiven(_ number: Int) -> Bool { forgiven.contains(number) }
    func addViolation(_ words: String) { if violations.count < 20 { violations.append(words) } }

    // MARK: The network

    func send(_ cargo: Cargo, from machine: some SimulatedMachine, to: Int) {
        let number = machines.firstIndex { $0 === machine } ?? 0
        send(Parcel(from: number, incarnation: machine.incarnation, to: to, cargo: cargo))
    }

    func send(_ cargo: Cargo, from client: Int, to: Int) {
        send(Parcel(from: client, incarnation: 0, to: to, cargo: cargo))
    }

    private func send(_ sound: Parcel) {
        var parcel = sound
        if isDamaging, !isHealed, let damaged = parcel.damaged(random.next()) {
            parcel = damaged
            isDamaging = false
            tally.add("pages damaged")
        }
        guard !apart.contains([parcel.from, parcel.to]) else { return tally.add("parcels cut off") }
        let lost: UInt64 = isHealed ? 0 : isNetworkBad ? 30 : 2
        guard random.next() % 100 >= lost else { return tally.add("parcels lost") }
        for copy in 0..<2 {
            guard copy == 0 || !isHealed && random.next() % 100 < lost / 2 + 1 else { break }
            if copy == 1 { tally.add("parcels doubled") }
            let isLate = !isHealed && random.next() % 100 < lost
            if isLate { tally.add("parcels late") }
            plan(.deliver(parcel), in: 200 + Int64(random.next() % (isLate ? 1_500_000 : 3000)))
        }
    }

    // MARK: Faults

    private func injectFault() throws {
        guard !isHealed else { return }
        let fault = Fault.allCases[Int(random.next() % UInt64(Fault.allCases.count))]
        let victim = Int(random.next() % UInt64(machines.count))
        tally.add("fault \(fault)")
        switch fault {
        case .crash:
            machines[victim].armed = Failpoint.allCases[Int(random.next() % UInt64(Failpoint.allCases.count))]
        case .syncFailure:
            if mutant == .forgivesFailedSync, victim != Self.hub {
                forgiven.insert(victim)
                plan(.fault, in: 1)
                machines[victim].armed = .afterRound
            } else {
                machines[victim].disk.failNextSync()
            }
        case .partition:
            apart.insert([victim, (victim + 1) % machines.count])
            plan(.heal, in: 500_000 + Int64(random.next() % 8_000_000))
        case .pause: machines[victim].pausedUntil = now + Int64(random.next() % 3_000_000)
        case .clockJump: machines[victim].skew += Int64(random.next() % 7_200_000_000) - 3_600_000_000
        case .clockAhead:
            setAhead(victim)
            if random.next() % 2 == 0 { try restartMachine(victim) }
        case .badNetwork:
            isNetworkBad = true
            plan(.heal, in: 500_000 + Int64(random.next() % 4_000_000))
        case .damage: isDamaging = true
        case .restore:
            let origin = Self.origins[victim % Self.origins.count]
            machines[origin].isRestored = true
            try machines[origin].crash()
        }
    }

    private func heal() {
        apart.removeAll()
        isNetworkBad = false
    }
}
