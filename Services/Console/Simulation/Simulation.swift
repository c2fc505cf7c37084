import Glibc
import HTTP
import Host
import JSON
import Radio
import System
import Vocabulary

/// `furrow simulate`: simulates a farm of 256 nodes over a pseudo terminal, and its staff over the public API.
final class Simulation {
    private let farmPaths: FarmPaths
    private let clock: AdjustableClock
    private let gate: SharedNumber?
    private let people: FakePeople?
    private let reader: FakeReader?
    private let sources: FakeSources?
    private let bluetooth: FakeBluetooth?
    private let camera: FakeCamera?
    private let phones: FakePhones
    private let nodes: [FakeNode]
    private var coordinator: FakeCoordinator
    private let signals: SignalWatcher
    private var isStopped = false

    /// Nodes report every ten minutes.
    static let periodMicroseconds: Int64 = 600_000_000
    /// Reports of each node in a week.
    static let weekTurns = 1008

    init(_ arguments: inout Arguments) throws {
        farmPaths = try FarmPaths(home: arguments.value("--home"))
        try arguments.end()
        let environment = Machine.environment
        guard let clock = try AdjustableClock.configured(environment) else {
            throw Refusal("FURROW_CLOCK is not valid.")
        }
        self.clock = clock
        gate = try environment["FURROW_CLOCK_GATE"].map { path throws(SystemError) in
            try SharedNumber(path: path, first: AdjustableClock.open)
        }
        nodes = FakeArea.all.flatMap { area in (0..<FakeArea.nodesEach).map { FakeNode(area: area, number: $0) } }
        coordinator = FakeCoordinator(nodes: nodes)
        signals = try SignalWatcher()
        people = environment["FURROW_DEMO_URL"].flatMap { url in
            environment["FURROW_DEMO_TOKEN"].map { FakePeople(url: url, token: $0) }
        }
        reader = people.map(FakeReader.init)
        camera = people.map(FakeCamera.init)
        phones = FakePhones((environment["FURROW_DEMO_NODES"] ?? "").split(separator: " ").map(String.init))
        let port = environment["FURROW_DEMO_BROKER"].flatMap { Int($0) }
        let paths = farmPaths
        sources = try people.map { try FakeSources($0, brokerPort: port, hubToken: DemoHub.token(paths)) }
        bluetooth = try people.map { _ in try FakeBluetooth(at: DemoHub.controller(paths)) }
    }

    func run() throws -> Int32 {
        let terminal = try PseudoTerminal()
        try File.link(farmPaths.coordinator, to: terminal.slavePath)
        try settle(terminal)
        let isNew = try people?.settleDown(nodes) ?? true
        // A new farm begins where its clock does: every node has sent 1,008 reports when the first week is over.
        let start = (isNew && !clock.isReal ? clock.start : clock.now()).microseconds
        var turn: Int64 = 0
        var sent = 0
        let order = nodes.sorted { $0.phase < $1.phase }
        var pending = isNew ? people?.chapters(from: Instant(microseconds: start)) ?? [] : []
        while !isStopped {
            for node in order {
                let due = start + turn * Self.periodMicroseconds + Int64(node.phase * 1_000_000)
                advance(to: due)
                try wait(until: Instant(microseconds: due), terminal)
                guard !isStopped else { break }
                let values = node.area.values(at: Instant(microseconds: due), node: node.number)
                try terminal.write(coordinator.report(of: node, values, number: UInt64(turn + 1)), milliseconds: 10_000)
                sent += 1
                if isNew, sent == 1 || sent == Self.weekTurns * nodes.count { try standStill(until: sent, terminal) }
                while let chapter = pending.first, chapter.at.microseconds <= due {
                    pending.removeFirst()
                    try people?.live(chapter, farmPaths)
                }
            }
            turn += 1
        }
        return 0
    }

    /// Lets the clock run to the next report, and no further. Once that is in the future, the clock runs freely.
    private func advance(to due: Int64) {
        gate?.store(due < AdjustableClock.machine.microseconds ? due : AdjustableClock.open)
    }

    /// Holds the clock until `count` reports are recorded.
    ///
    /// Reports get their time when they are read, in batches. With the clock held here, every report of the first week
    /// gets a time within that week, even on a slow machine.
    private func standStill(until count: Int, _ terminal: PseudoTerminal) throws {
        while !isStopped, let people, try people.reportsTaken() < count { try listen(terminal, milliseconds: 50) }
    }

    /// Waits for the driver to start the coordinator, then lets every node announce itself.
    private func settle(_ terminal: PseudoTerminal) throws {
        while !coordinator.isSubscribed, !isStopped { try listen(terminal, milliseconds: 100) }
        for node in nodes { try terminal.write(coordinator.announcement(of: node), milliseconds: 10_000) }
    }

    private func wait(until due: Instant, _ terminal: PseudoTerminal) throws {
        while !isStopped {
            let now = AdjustableClock.machine
            let reading = clock.reading(at: now)
            guard reading < due else { return try listen(terminal, milliseconds: 0) }
            let real = due.seconds(since: reading) / clock.speed(at: now)
            guard real > 0.001 else { continue }
            // The reader is carried, and other sources send, in real time, once the simulated past is over.
            if clock.speed(at: now) == 1 {
                reader?.tend(at: now)
                sources?.tend(at: reading)
                camera?.tend(at: reading)
                phones.tend(at: now)
            }
            try listen(terminal, milliseconds: max(1, min(200, Int(real * 1000))))
        }
    }

    /// Responds to the driver, and checks for signals to stop.
    private func listen(_ terminal: PseudoTerminal, milliseconds: Int) throws {
        try sources?.listen()
        try bluetooth?.tend()
        let ready = try Poll.wait([terminal.descriptor, signals.descriptor], milliseconds: milliseconds)
        if ready.contains(signals.descriptor) {
            isStopped = signals.drain().contains { $0 == .terminate || $0 == .interrupt } || isStopped
        }
        guard ready.contains(terminal.descriptor) else { return }
        var bytes: [UInt8] = []
        _ = try terminal.read(into: &bytes, limit: 4096)
        let answer = coordinator.answer(bytes)
        if !answer.isEmpty { try terminal.write(answer, milliseconds: 10_000) }
    }
}
