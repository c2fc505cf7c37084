public import EventSourcing
public import JSON
import Vocabulary

/// The JSON encoding of events, CloudEvents 1.0: written once at commit and never encoded again.
///
/// ```
/// let bytes = EnvelopeCodec.write(envelope, event)
/// let (envelope, data) = try EnvelopeCodec.read(bytes)
/// ```
public enum EnvelopeCodec {
    /// Returns the bytes of an event; omits optional attributes that are nil.
    public static func write(_ envelope: Envelope, _ event: any Event) -> [UInt8] {
        EnvelopeWriter(envelope.origin, envelope.epoch).write(envelope, event)
    }

    /// Returns the attributes of an event and its unparsed data; throws for anything but CloudEvents 1.0.
    public static func read(_ bytes: [UInt8]) throws(JSONError) -> (envelope: Envelope, data: JSONValue) {
        try read(JSONValue.parse(bytes))
    }

    /// Returns the attributes of a parsed event and its unparsed data.
    static func read(_ json: JSONValue) throws(JSONError) -> (envelope: Envelope, data: JSONValue) {
        // In the order they are written.
        var members = try JSONMembers(of: json)
        _ = try members.text("specversion", "expected CloudEvents 1.0") { $0.isVersion ? true : nil }
        let id: UUID = try members.get("id")
        let origin = try members.text("source", "expected /service/site-slot") { source in
            source.isEmpty || source[0] != UInt8(ascii: "/") ? nil : Origin(utf8: source.extracting(1...))
        }
        let name: String = try members.get("type")
        let stream: String = try members.get("subject")
        let time: Instant = try members.get("time")
        let recorded: Instant = try members.get("recordedtime")
        let epoch: Epoch = try members.get("originepoch")
        let position: Position = try members.text("originpos", "expected a position") { $0.position }
        let version: Int = try members.get("streamver")
        let farm: FarmID? = try members.find("farm")
        let actor: Actor = try members.get("actor")
        let correlation: UUID? = try members.find("correlationid")
        let causation: UUID? = try members.find("causationid")
        let trace: TraceParent? = try members.find("traceparent")
        guard let data = members.next("data") else { throw JSONError(message: "is missing", path: "data") }
        return (
            Envelope(
                id: id, origin: origin, epoch: epoch, position: position, name: name, stream: stream,
                version: version, time: time, recorded: recorded, farm: farm, actor: actor, correlation: correlation,
                causation: causation, trace: trace), data
        )
    }

    /// Returns the stream of an event that cannot be read otherwise; nil if that is unreadable, too.
    public static func stream(of bytes: [UInt8]) -> String? {
        do throws(JSONError) {
            let stream: String? = try JSONValue.parse(bytes).find("subject")
            return stream?.isEmpty == true ? nil : stream
        } catch {
            return nil
        }
    }
}

extension Span<UInt8> {
    /// Whether it is the supported version of CloudEvents.
    fileprivate var isVersion: Bool {
        count == 3 && self[0] == UInt8(ascii: "1") && self[1] == UInt8(ascii: ".") && self[2] == UInt8(ascii: "0")
    }

    /// The position that the decimal digits name; nil for anything else.
    fileprivate var position: Position? {
        guard count > 0 else { return nil }
        var position: Position = 0
        for index in indices {
            let digit = self[index] &- UInt8(ascii: "0")
            let (tens, overflows) = position.multipliedReportingOverflow(by: 10)
            let (sum, carries) = tens.addingReportingOverflow(Position(digit))
            guard digit < 10, !overflows, !carries else { return nil }
            position = sum
        }
        return position
    }
}
