import EventSourcing
import EventStore
import Events
import Host
import TraceLedger
import Vocabulary

/// Retention in a world: what old reports are pruned, and whether that was right.
extension SimulatedService {
    /// What retention asks for is done by the next round; of no report the ledger says that it is part of a story.
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

    /// Prunes with the commit that tells of it. What is pruned has to have been there for as long as it is kept, by a
    /// clock that is always right.
    func prune() throws -> [Position] {
        var all: [Position] = []
        for pruning in prunings {
            var positions: [Position] = []
            var times: [Instant] = []
            for entry in try disk.log.reader().entries(
                from: pruning.positions.lowerBound, through: pruning.positions.upperBound)
            {
                let told = try RecordedEvent(reading: entry.bytes)
                guard let time = pruning.age(told) else { continue }
                positions.append(entry.position)
                times.append(time)
                world.prune(told.envelope.id)
                let age = Double(world.now - disk.written(entry.position)) / 1_000_000
                if age < SimulationRun.retentionSeconds {
                    world.complain("\(origin) pruned \(entry.position) \(Int(age)) s after it was written")
                }
            }
            let event = JournalPruned(
                first: pruning.positions.lowerBound, last: pruning.positions.upperBound, positions: positions,
                from: times.min(), to: times.max())
            try core?.record([Draft(event, in: "prunings", by: .service(S.name))], at: wall)
            world.tally.add("reports pruned", positions.count)
            all += positions
        }
        prunings.removeAll()
        return all
    }
}
