import EventSourcing
import EventStore
import Events
import Host
import TraceLedger
import Vocabulary

/// Retention in a simulation: prunes old reports, and checks that they were old enough.
extension SimulatedService {
    /// Queues the results of an effect for the next round. The ledger's simulated response retains no report for a
    /// story.
    func take(_ effect: Effect) {
        switch effect {
        case .work(let token, let job): results.append(.finished(token: token, result: job()))
        case .ask(let outgoing) where outgoing.to == TraceLedger.name:
            let answer = Response(status: 200, body: Array("{\"kept\":[]}".utf8))
            results.append(.answered(token: outgoing.token, outcome: .answer(answer)))
        case .prune(let pruning): prunings.append(pruning)
        default: break
        }
    }

    /// Prunes in the same commit as the `JournalPruned` event, and returns the positions. Checks with the true time
    /// that
    /// no event was pruned before the end of its retention.
    func prune() throws -> [Position] {
        var all: [Position] = []
        for pruning in prunings {
            var positions: [Position] = []
            var times: [Instant] = []
            for entry in try disk.log.reader().entries(
                from: pruning.positions.lowerBound, through: pruning.positions.upperBound)
            {
                let recorded = try RecordedEvent(reading: entry.bytes)
                guard let time = pruning.age(recorded) else { continue }
                positions.append(entry.position)
                times.append(time)
                simulation.prune(recorded.envelope.id)
                let age = Double(simulation.now - disk.written(entry.position)) / 1_000_000
                if age < SimulationRun.retentionSeconds {
                    simulation.addViolation("\(origin) pruned \(entry.position) \(Int(age)) s after it was written")
                }
            }
            let event = JournalPruned(
                first: pruning.positions.lowerBound, last: pruning.positions.upperBound, positions: positions,
                from: times.min(), to: times.max())
            try core?.record([Draft(event, in: "prunings", by: .service(S.name))], at: wall)
            simulation.tally.add("reports pruned", positions.count)
            all += positions
        }
        prunings.removeAll()
        return all
    }
}
