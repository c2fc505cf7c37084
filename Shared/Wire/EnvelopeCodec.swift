public import EventSourcing
public import JSON
import Vocabulary

/// CloudEvents 1.0 in JSON. Bytes are written once, by whoever commits the event, and read by everybody.
public enum EnvelopeCodec {
    /// The bytes of an event. Optional attributes that are nil are left out.
    public static func write(_ envelope: Envelope, _ event: any Event) -> [UInt8] {
        var json = JSONWriter(reserving: 640)
        json.object { json in
            json.field("specversion", "1.0")
            json.field("id", envelope.id)
            json.field("source", "/" + envelope.origin.description)
            json.field("type", envelope.name)
            json.field("subject", envelope.stream)
            json.field("time", envelope.time)
            json.field("recordedtime", envelope.recorded)
            json.field("originepoch", envelope.epoch)
            // A decimal string: CloudEvents integers end at 2^31 − 1.
            json.field("originpos", String(envelope.position))
            json.field("streamver", envelope.version)
            json.field("farm", ifPresent: envelope.farm)
            json.field("actor", envelope.actor)
            json.field("correlationid", ifPresent: envelope.correlation)
            json.field("causationid", ifPresent: envelope.causation)
            json.field("data", object: { json in event.write(fields: &json) })
        }
        return json.bytes
    }

    /// The attributes of an event, and its data still unread.
    public static func read(_ bytes: [UInt8]) throws(JSONError) -> (envelope: Envelope, data: JSONValue) {
        let json = try JSONValue.parse(bytes)
        guard try json.get("specversion", as: String.self) == "1.0" else {
            throw JSONError(message: "expected CloudEvents 1.0", path: "specversion")
        }
        let source: String = try json.get("source")
        guard source.hasPrefix("/"), let origin = Origin(String(source.dropFirst())) else {
            throw JSONError(message: "expected /service/site-slot", path: "source")
        }
        guard let position = Position(try json.get("originpos", as: String.self)) else {
            throw JSONError(message: "expected a position", path: "originpos")
        }
        guard let data = json["data"] else { throw JSONError(message: "is missing", path: "data") }
        let envelope = Envelope(
            id: try json.get("id"), origin: origin, epoch: try json.get("originepoch"), position: position,
            name: try json.get("type"), stream: try json.get("subject"), version: try json.get("streamver"),
            time: try json.get("time"), recorded: try json.get("recordedtime"), farm: try json.find("farm"),
            actor: try json.get("actor"), correlation: try json.find("correlationid"),
            causation: try json.find("causationid"))
        return (envelope, data)
    }
}
