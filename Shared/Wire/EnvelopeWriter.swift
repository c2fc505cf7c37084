public import EventSourcing
import JSON
import Vocabulary

/// Writes the events of one origin in one epoch; encodes their common attributes once.
public struct EnvelopeWriter: Sendable {
    private let source: [UInt8]
    private let epoch: [UInt8]

    /// Creates a writer for events of an origin and epoch.
    public init(_ origin: Origin, _ epoch: Epoch) {
        var json = JSONWriter()
        json.string("/" + origin.description)
        source = json.bytes
        json = JSONWriter()
        epoch.write(to: &json)
        self.epoch = json.bytes
    }

    /// Returns the bytes of an event, as CloudEvents 1.0 in JSON; origin and epoch are those of this writer.
    public func write(_ envelope: Envelope, _ event: any Event) -> [UInt8] { writeReportingLoss(envelope, event).bytes }

    /// The same, and whether they say less than the event: a number is not finite, or a value is nested too deep.
    public func writeReportingLoss(_ envelope: Envelope, _ event: any Event) -> (bytes: [UInt8], isLossy: Bool) {
        var json = JSONWriter(reserving: 768)
        json.object { json in
            json.member("specversion", "1.0")
            json.member("id", envelope.id)
            json.member("source", raw: source)
            json.member("type", envelope.name)
            json.member("subject", envelope.stream)
            json.member("time", envelope.time)
            json.member("recordedtime", envelope.recorded)
            json.member("originepoch", raw: epoch)
            // A decimal string: CloudEvents integers end at 2^31 − 1.
            json.member("originpos", String(envelope.position))
            json.member("streamver", envelope.version)
            json.member("farm", ifPresent: envelope.farm)
            json.member("actor", envelope.actor)
            json.member("correlationid", ifPresent: envelope.correlation)
            json.member("causationid", ifPresent: envelope.causation)
            json.member("traceparent", ifPresent: envelope.trace)
            json.member("data", object: { json in event.write(fields: &json) })
        }
        return (json.bytes, json.isLossy || json.isTooDeep)
    }
}
