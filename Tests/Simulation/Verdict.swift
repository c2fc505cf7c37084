import EventSourcing
import EventStore
import Events
import Host
import HubStore
import JSON
import Vocabulary
import Wire

/// What must be true at the end of every day, read from the hub and from the clients' own lists.
struct Verdict {
    private(set) var complaints: [String] = []
    private let world: SimulationRun

    init(_ world: SimulationRun, _ done: [(command: Command, answer: Response)]) throws {
        self.world = world
        guard let hub = world.machines[SimulationRun.hub].disk.log as? MemoryHub else { return }
        let reader = try hub.hubReader()
        let entries = try reader.entries(from: 1, through: reader.head().position)
        for machine in world.machines {
            complaints += machine.stopped.map { "\(machine.origin) reads no more of \($0)" }
        }
        if let broken = Chain.firstBreak(in: entries, after: try reader.hash(at: 0) ?? [], at: 0) {
            complaints.append("the hub's chain breaks at \(broken)")
        }
        try compareMirrors(hub, entries)
        try look(for: done, in: entries)
        // Folding tells nothing more of a world that is broken already.
        if complaints.isEmpty {
            for machine in world.machines {
                complaints += try machine.differences().map { "\($0) is not what a rebuild gives" }
            }
        }
    }

    /// Every origin's journal, as its disk has it, is in the hub, byte for byte.
    private mutating func compareMirrors(_ hub: MemoryHub, _ entries: [Entry]) throws {
        var count = 0
        for machine in world.machines {
            let head = machine.disk.log.head
            let own = try machine.disk.log.reader().entries(from: 1, through: head.position)
            let mirrored = try hub.originReader(head.feed).entries(from: 1, through: head.position + 1)
            if own != mirrored {
                let place =
                    zip(own, mirrored).first { $0 != $1 }?.0.position ?? Position(min(own.count, mirrored.count))
                complaints.append(
                    "\(machine.origin): the hub holds \(mirrored.count) of \(own.count), other from \(place) on")
            }
            count += own.count
        }
        if count != entries.count { complaints.append("the hub has \(entries.count) entries for \(count)") }
        world.tally.add("entries", count)
    }

    /// What was acknowledged is there once, and nothing is there twice.
    private mutating func look(for done: [(command: Command, answer: Response)], in entries: [Entry]) throws {
        var ids: [String: Int] = [:]
        var reports: [String: Int] = [:]
        var made: [String: Int] = [:]
        for entry in entries where !entry.isPruned {
            let told = try RecordedEvent(reading: entry.bytes)
            ids["\(told.envelope.id)", default: 0] += 1
            switch told.fact {
            case .sensors(.measured(let report)): reports["\(report.device) \(report.counter ?? 0)", default: 0] += 1
            case .trace(.activityRecorded(let event)): made["activity \(event.activity)", default: 0] += 1
            case .trace(.harvested(let event)): made["lot \(event.lot)", default: 0] += 1
            case .trace(.lotSplit(let event)): made["lot \(event.into)", default: 0] += 1
            default: break
            }
        }
        let all = reports.merging(made, uniquingKeysWith: +)
        for (what, count) in all.sorted(by: { $0.key < $1.key }) where count > 1 {
            complaints.append("\(what) is in the hub \(count) times")
        }
        for (command, answer) in done where answer.status < 300 {
            world.tally.add("acknowledged")
            for promise in try promises(command, answer)
            where !world.pruned.contains(promise) && (ids[promise] ?? made[promise] ?? 0) != 1 {
                complaints.append(
                    "\(command.verb) \(command.key): \(promise) was acknowledged and is in the hub "
                        + "\(ids[promise] ?? made[promise] ?? 0) times")
            }
        }
        complaints = Array(complaints.prefix(10))
    }

    /// What an answer says is written down now.
    private func promises(_ command: Command, _ answer: Response) throws -> [String] {
        let json = try JSONValue.parse(answer.body)
        switch command.verb {
        case "ingest-adverts": return try (json["accepted"]?.array.map { Array($0) } ?? []).map { try $0.get("id") }
        case "record-activity": return ["activity \(try json.get("activity", as: String.self))"]
        case "harvest", "split-lot": return ["lot \(try json.get("lot", as: String.self))"]
        default: return []
        }
    }
}
