import EventSourcing
import Events
import Host
import Radio
import Vocabulary

/// The messages of MQTT brokers. A message is acknowledged once its reports are committed: the event loop sends bytes
/// after the commit of the same step.
extension SensorIngest {
    /// Prepares the brokers for messages that the process before this one has recorded and not acknowledged.
    mutating func beginBrokers(at now: Instant, _ tables: any Tables) {
        guard !brokers.isEmpty else { return }
        let lastReport = SensorViews.newestReport(before: now, in: tables)
        for source in brokers.keys { brokers[source]?.begin(after: lastReport) }
    }

    mutating func connected(_ source: String, at now: Instant, _ tables: any Tables) -> [Effect] {
        guard let output = brokers[source]?.opened(at: wall ?? now) else { return [] }
        return perform(output, of: source, at: now, tables)
    }

    public mutating func update(closed source: String, why: String?) { brokers[source]?.closed(why: why) }

    mutating func received(
        _ bytes: [UInt8], fromBroker source: String, at now: Instant, _ tables: any Tables
    ) -> [Effect] {
        guard
            let output = brokers[source]?.receive(
                bytes, at: now, wall: wall ?? now, known: { KnownValues(of: $0, in: tables) })
        else { return [] }
        return perform(output, of: source, at: now, tables)
    }

    mutating func tendBrokers(at now: Instant, wall: Instant, _ tables: any Tables) -> [Effect] {
        brokers.keys.sorted().flatMap { source in
            var output = brokers[source]?.tend(at: now, wall: wall) { KnownValues(of: $0, in: tables) }
            // Only the primary knows all points.
            if isPrimary {
                output?.bytes +=
                    brokers[source]?.announce(at: now, wall: wall) { after in
                        AnnouncedPoint.next(after: after, limit: MQTTLimits.announcedPoints, in: tables)
                    } ?? []
            }
            return output.map { perform($0, of: source, at: now, tables) } ?? []
        }
    }

    /// Returns the effects of messages: their events, the acknowledgements that follow the commit, and counts.
    private mutating func perform(
        _ output: MQTTBroker.Output, of source: String, at now: Instant, _ tables: any Tables
    ) -> [Effect] {
        var effects: [Effect] = []
        if !output.inputs.isEmpty {
            var drafter = drafter(source, at: now, tables)
            for input in output.inputs {
                drafter.source = input.source
                drafter.isJudged = !input.isOfThePast
                if let earliest = input.recordedAfter {
                    drafter.addAgain(input.decoded, of: input.excerpt, at: input.at, recordedAfter: earliest)
                } else {
                    drafter.add(input.decoded, of: input.excerpt, at: input.at)
                }
            }
            let (drafts, notes) = finish(drafter, at: now)
            effects += Self.appending(drafts) + notes
        }
        if !output.bytes.isEmpty { effects.append(.send(source: source, bytes: output.bytes)) }
        if let why = output.close { effects.append(.close(source: source, why: why)) }
        for (reason, count) in output.refused.sorted(by: { $0.key < $1.key }) {
            effects.append(.note(OperatorEvent("messages_refused", count: count, labels: ["reason": reason])))
        }
        return effects
    }
}
