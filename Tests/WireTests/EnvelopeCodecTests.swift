import EventSourcing
import JSON
import TestKit
import Testing
import Vocabulary
import Wire

@Suite("Envelopes")
struct EnvelopeCodecTests {
    private static let envelope = Envelope(
        id: UUID.furrow, origin: Origin(service: "trace-ledger", site: "north-farm", slot: 3), epoch: Epoch(255),
        position: 9_007_199_254_740_993, name: Noted.name, stream: "lot/L-1", version: 4,
        time: Instant(microseconds: 1_777_792_500_000_000), recorded: Instant(microseconds: 1_777_792_500_000_001),
        farm: FarmID("f1"), actor: .person(PersonID("p1")), correlation: UUID.named("c", in: .furrow), causation: nil,
        trace: TraceParent("00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"))

    @Test func `an event is written in the JSON format of CloudEvents`() {
        let text = String(decoding: EnvelopeCodec.write(Self.envelope, Noted(7, "Grüße")), as: UTF8.self)
        #expect(
            text == """
                {"specversion":"1.0","id":"03243535-ca3d-5da3-90c6-39dc7201b747","source":"/trace-ledger/north-farm-3",\
                "type":"farm.furrow.test.noted.v1","subject":"lot/L-1","time":"2026-05-03T07:15:00.000000Z",\
                "recordedtime":"2026-05-03T07:15:00.000001Z","originepoch":"00000000000000ff",\
                "originpos":"9007199254740993","streamver":4,"farm":"f1","actor":"person/p1",\
                "correlationid":"\(UUID.named("c", in: .furrow))",\
                "traceparent":"00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01","data":{"number":7,"text":"Grüße"}}
                """)
    }

    @Test func `reading an envelope returns what was written`() throws {
        let (envelope, data) = try EnvelopeCodec.read(EnvelopeCodec.write(Self.envelope, Noted(7, "x")))
        #expect(envelope == Self.envelope)
        #expect(try Noted(json: data) == Noted(7, "x"))
    }

    @Test(arguments: [
        ("\"1.0\"", "\"0.3\""), ("\"/trace", "\"trace"), ("\"originpos\":\"9007199254740993\"", "\"originpos\":1"),
        ("\"data\"", "\"date\""), ("00000000000000ff", "ff"), ("person/", "nobody/"), ("\"subject\"", "\"object\""),
        ("\"streamver\":4", "\"streamver\":\"4\""), ("2026-05-03T07:15:00.000000Z", "yesterday"),
        ("{\"spec", "[\"spec"), ("\"00-4b", "\"01-4b"),
    ])
    func `an envelope with a malformed part is refused`(part: String, wrong: String) {
        let text = String(decoding: EnvelopeCodec.write(Self.envelope, Noted(7)), as: UTF8.self)
        #expect(text.contains(part))
        #expect(throws: JSONError.self) { try EnvelopeCodec.read(Array(text.replacing(part, with: wrong).utf8)) }
    }

    @Test func `named identifiers follow the rules of version 5`() throws {
        // RFC 9562, appendix A.4.
        let dns = try #require(UUID("6ba7b810-9dad-11d1-80b4-00c04fd430c8"))
        #expect("\(UUID.named("www.example.com", in: dns))" == "2ed6657d-e927-568b-95e1-2665a8aea6a2")
        #expect(UUID.named("furrow.farm", in: dns) == .furrow)
        #expect(UUID.derived(by: "a", from: dns, 1) != UUID.derived(by: "a", from: dns, 2))
    }
}
