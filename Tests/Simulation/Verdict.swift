import EventSourcing
import EventStore
import Events
import Host
import HubStore
import JSON
import Vocabulary
import Wire

/// Checks what must hold at the end of every run, with the hub's entries and the responses that clients received.
struct Verdict {
    private(set) var violations: [String] = []
    private let simulation: SimulationRun

    init(_ simulation: SimulationRun, _ done: [(command: Command, answer: Response)]) throws {
        self.simulation = simulation
        guard let hub = simulation.machines[SimulationRun.hub].disk.log as? MemoryHub else { return }
        let reader = try hub.hubReader()
        let entries = try reader.entries(from: 1, through: reader.head().position)
        for machine in simulation.machines {
            violations += machine.stopped.map { "\(machine.origin) stopped its subscription to \($0)" }
        }
        if let broken = Chain.firstBreak(in: entries, after: try reader.hash(at: 0) ?? [], at: 0) {
            violations.append("the hub's chain breaks at \(broken)")
        }
        try compareMirrors(hub, entries)
        try look(for: done, in: entries)
        // Comparing with a rebuild adds nothing if the run has failed already.
        if violations.isEmpty {
            for machine in simulation.machines {
                violations += try machine.differences().map { "\($0) is not what a rebuild gives" }
            }
        }
    }

    /// Checks that the hub has every origin's journal, byte for byte.
    private mutating func compareMirrors(_ hub: MemoryHub, _ entries: [Entry]) throws {
        var count = 0
        for machine in simulation.machines {
            let head = machine.disk.log.head
            let own = try machine.disk.log.reader().entries(from: 1, through: head.position)
            let mirrored = try hub.originReader(head.feed).entries(from: 1, through: head.position + 1)
            if own != mirrored {
                let place =
                    zip(own, mirrored).first { $0 != $1 }?.0.position ?? Position(min(own.count, mirrored.count))
                violations.append(
                    "\(machine.origin): the hub has \(mirrored.count) of \(own.count) entries, other from \(place)"
                )
            }
            count += own.count
        }
        if count != entries.count { violations.append("the hub has \(entries.count) entries instead of \(count)") }
        simulation.tally.add("entries", count)
    }

    /// Checks that what was acknowledged is in the hub exactly once, and that nothing is there twice.
    private mutating func look(for done: [(command: Command, answer: Response)], in entries: [Entry]) throws {
        var ids: [String: Int] = [:]
        var reports: [String: Int] = [:]
        var made: [String: Int] = [:]
        for entry in entries where !entry.isPruned {
            let recorded = try RecordedEvent(reading: entry.bytes)
            ids["\(recorded.envelope.id)", default: 0] += 1
            switch recorded.fact {
            case .sensors(.measured(let report)): reports["\(report.device) \(report.counter ?? 0)", default: 0] += 1
            case .trace(.activityRecorded(let event)): made["activity \(event.activity)", default: 0] += 1
            case .trace(.harvested(let event)): made["lot \(event.lot)", default: 0] += 1
            case .trace(.lotSplit(let event)): made["lot \(event.into)", default: 0] += 1
            default: break
            }
        }
        let all = reports.merging(made, uniquingKeysWith: +)
        for (what, count) in all.sorted(by: { $0.key < $1.key }) where count > 1 {
            violations.append("\(what) is in the hub \(count) times")
        }
        for (command, answer) in done where answer.status < 300 {
            simulation.tally.add("acknowledged")
            for created in try acknowledged(command, answer)
            where !simulation.pruned.contains(created) && (ids[created] ?? made[created] ?? 0) != 1 {
                violations.append(
                    "\(command.verb) \(command.key): \(created) was acknowledged and is in the hub "
                        + "\(ids[created] ?? made[created] ?? 0) times")
            }
        }
        violations = Array(violations.prefix(10))
    }

    /// Returns what a response acknowledges: the ids of events, or the names of what they created.
    private func acknowledged(_ command: Command, _ answer: Response) throws -> [String] {
        let json = try JSONValue.parse(answer.body)
        switch command.verb {
        case "ingest-adverts": return try (json["accepted"]?.array.map { Array($0) } ?? []).map { try $0.get("id") }
        case "record-activity": return ["activity \(try json.get("activity", as: String.self))"]
        case "harvest", "split-lot": return ["lot \(try json.get("lot", as: String.self))"]
        default: return []
        }
    }
}
