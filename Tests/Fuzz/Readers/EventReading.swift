import EventSourcing
import Events
import JSON
import TestKit
import Wire

/// An event: its envelope and its data.
enum EventReading {
    static func read(_ bytes: [UInt8]) {
        let newer = NewerVersion(in: bytes)
        guard let event = decode(bytes) else { return }
        precondition(newer == nil || newer?.name != event.envelope.name, "a version is both known and newer")
        let again = EnvelopeCodec.write(event.envelope, event.fact.event)
        guard let second = decode(again) else { preconditionFailure("what was written cannot be read") }
        precondition(EnvelopeCodec.write(second.envelope, second.fact.event) == again, "writing again differs")
    }

    private static func decode(_ bytes: [UInt8]) -> RecordedEvent? {
        do { return try RecordedEvent(reading: bytes) } catch { return nil }
    }

    /// Returns the golden files, and envelopes with an error in each part.
    static func seeds() throws -> [[UInt8]] {
        let golden = try RecordedEvent.names.map { try Recordings.event($0) }
        let first = String(decoding: golden[0], as: UTF8.self)
        let wrong = [
            ("\"1.0\"", "\"0.3\""), ("\"/", "\""), ("\"originpos\":\"", "\"originpos\":\"x"), (".v1\"", ".v2\""),
            (".v1\"", ".no-such.v1\""), ("\"data\"", "\"date\""), ("\"streamver\":", "\"streamver\":-"),
        ]
        return golden + wrong.map { Array(first.replacing($0, with: $1).utf8) } + [Array("[]".utf8), Array("1".utf8)]
    }
}
