import Testing

@testable import Console

@Suite("The receivers of a measurement")
struct BenchSinkTests {
    @Test func `an e-mail counts when its content has ended, however the bytes are cut`() {
        let dialogue =
            "EHLO farm\r\nMAIL FROM:<a@b.test>\r\nRCPT TO:<c@d.test>\r\nDATA\r\nSubject: data\r\n\r\nquit\r\n.\r\nQUIT\r\n"
        for size in [1, 7, 1000] {
            var sink = Dialogue()
            var (answer, mails) = ("", 0)
            let bytes = Array(dialogue.utf8)
            for start in stride(from: 0, to: bytes.count, by: size) {
                let (more, count) = sink.take(Array(bytes[start..<min(start + size, bytes.count)]))
                answer += String(decoding: more, as: UTF8.self)
                mails += count
            }
            #expect(mails == 1)
            #expect(answer.split(separator: "\r\n").map { $0.prefix(3) } == ["250", "250", "250", "354", "250", "221"])
        }
    }

    @Test func `only a raised alarm on the live feed names a measuring point`() {
        #expect(AlarmSinks.raisedPoint(in: #"data: {"rule":"r","point":"p-1","raised":true}"#) == "p-1")
        #expect(AlarmSinks.raisedPoint(in: #"data: {"rule":"r","point":"p-1","raised":false}"#) == nil)
        #expect(AlarmSinks.raisedPoint(in: "event: alarm") == nil)
    }
}
