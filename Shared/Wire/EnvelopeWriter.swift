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
    public func write(_ envelope: Envelope, _ event: any Event) -> [UInt8] {
        var json = JSONWriter(reserving: 768)
        json.object { json in
            json.field("specversion", "1.0")
            json.field("id", envelope.id)
            json.field("source", raw: source)
            json.field("type", envelope.name)
            json.field("subject", envelope.stream)
            json.field("time", envelope.time)
            json.field("recordedtime", envelope.recorded)
            json.field("originepoch", raw: epoch)
            // A decimal string: CloudEvents integers end at 2^31 − 1.
            json.field("originpos", String(envelope.position))
            json.field("streamver", envelope.version)
            json.field("farm", ifPresent: envelope.farm)
            json.field("actor", envelope.actor)
            json.field("correlationid", ifPresent: envelope.correlation)
            json.field("causationid", ifPresent: envelope.causation)
            json.field("traceparent", ifPresent: envelope.trace)
            json.field("data", object: { json in event.write(fields: &json) })
        }
        return json.bytes
    }
}
