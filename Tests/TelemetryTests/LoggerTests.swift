import Foundation
import Synchronization
import Telemetry
import Testing

@Suite("The logger")
struct LoggerTests {
    /// A clock and an output that the test controls.
    final class Sink: Sendable {
        let time = Mutex<Int64>(1_748_751_000_123)
        let written = Mutex<[[UInt8]]>([])

        func logger(_ level: Logger.Level = .info) -> Logger {
            Logger(
                service: "trace-ledger", level: level, now: { self.time.withLock { $0 } },
                output: { line in self.written.withLock { $0.append(line) } })
        }

        func advance(seconds: Int64) { time.withLock { $0 += seconds * 1_000 } }

        var texts: [String] { written.withLock { $0.map { String(decoding: $0, as: UTF8.self) } } }

        func objects() throws -> [[String: Any]] {
            try texts.map { text in
                try #require(JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any])
            }
        }
    }

    let sink = Sink()

    @Test func `a line is one JSON object with sorted metadata keys`() {
        sink.logger().with(["stream.id": "lot/1"]).notice("ready", ["ops.port": "8080", "a": "x"])
        #expect(
            sink.texts == [
                #"{"time":"2025-06-01T04:10:00.123Z","level":"notice","service":"trace-ledger","message":"ready","#
                    + #""a":"x","ops.port":"8080","stream.id":"lot/1"}"# + "\n"
            ])
    }

    @Test(
        arguments: [
            (0, "1970-01-01T00:00:00.000Z"), (-1, "1969-12-31T23:59:59.999Z"),
            (951_782_400_000, "2000-02-29T00:00:00.000Z"),
            (4_107_542_399_999, "2100-02-28T23:59:59.999Z"), (253_402_300_799_000, "9999-12-31T23:59:59.000Z"),
        ] as [(Int64, String)])
    func `a line has its time in UTC`(milliseconds: Int64, text: String) {
        sink.time.withLock { $0 = milliseconds }
        sink.logger().info("now")
        #expect(sink.texts.first?.hasPrefix("{\"time\":\"\(text)\"") == true)
    }

    @Test func `a line below the level is not written and its metadata is not computed`() {
        var made = 0
        func metadata() -> [String: String] {
            made += 1
            return [:]
        }
        let log = sink.logger(.notice)
        log.trace("t", metadata())
        log.debug("d", metadata())
        log.info("i", metadata())
        #expect(made == 0)
        log.notice("n", metadata())
        log.warning("w", metadata())
        log.error("e", metadata())
        #expect(made == 3)
        #expect(sink.texts.count == 3)
        #expect(Logger.Level.allCases == [.trace, .debug, .info, .notice, .warning, .error])
    }

    @Test func `a line is valid JSON for any value`() throws {
        let odd =
            String(String.UnicodeScalarView((0..<0x120).compactMap { Unicode.Scalar($0 as UInt32) })) + "🍅\u{2028}"
        sink.logger().info("odd", ["value": String(odd.suffix(200)), "controls": String(odd.prefix(40)), odd: "key"])
        let line = try #require(try sink.objects().first)
        #expect(line["value"] as? String == String(odd.suffix(200)))
        #expect(line["controls"] as? String == String(odd.prefix(40)))
        #expect(sink.texts[0].filter { $0 == "\n" }.count == 1)
    }

    @Test func `metadata keys that are reserved are renamed`() throws {
        sink.logger().info("who", ["level": "high", "message": "other", "time": "late", "cut": "short"])
        let line = try #require(try sink.objects().first)
        #expect(line["level"] as? String == "info")
        #expect(line["message"] as? String == "who")
        #expect(line["level_"] as? String == "high")
        #expect(line["time_"] as? String == "late")
        #expect(line["cut"] == nil)
    }

    @Test func `a line stays within its limit and states that it was cut`() throws {
        let long = [
            String(repeating: "x", count: 100_000), String(repeating: "\u{1}", count: 10_000),
            String(repeating: "🍅", count: 10_000),
        ]
        for text in long {
            sink.logger().info("long", ["value": text])
            sink.logger().info("many", [String: String](uniqueKeysWithValues: (0..<1_000).map { ("key.\($0)", text) }))
        }
        var checked = 0
        for (line, object) in zip(sink.texts, try sink.objects()) {
            #expect(line.utf8.count <= TelemetryLimits.lineBytesMax)
            #expect(object["cut"] as? Bool == true)
            checked += 1
        }
        #expect(checked == 6)
    }

    @Test func `a flood of one message is counted, and the count is written after its window`() throws {
        let log = sink.logger()
        for number in 0..<100_000 { log.warning("page refused", ["feed": "\(number)"]) }
        #expect(sink.texts.count == TelemetryLimits.linesPerWindow)
        log.error("something else")
        #expect(sink.texts.count == TelemetryLimits.linesPerWindow + 1)
        sink.advance(seconds: TelemetryLimits.windowSeconds)
        log.info("later")
        let lines = try sink.objects().suffix(2)
        #expect(lines.first?["message"] as? String == "page refused")
        #expect(lines.first?["level"] as? String == "warning")
        #expect(lines.first?["suppressed"] as? Int == 100_000 - TelemetryLimits.linesPerWindow)
        #expect(lines.last?["message"] as? String == "later")
        log.warning("page refused")
        #expect(sink.texts.count == TelemetryLimits.linesPerWindow + 4)
    }

    @Test func `a message is written again after its window, also if the clock was set back`() {
        let log = sink.logger()
        for _ in 0..<5 {
            for _ in 0..<TelemetryLimits.linesPerWindow { log.info("steady") }
            sink.advance(seconds: TelemetryLimits.windowSeconds)
        }
        #expect(sink.texts.count == 5 * TelemetryLimits.linesPerWindow)
        sink.advance(seconds: -3_600)
        log.info("steady")
        #expect(sink.texts.count == 5 * TelemetryLimits.linesPerWindow + 1)
    }

    @Test func `lines of many threads stay whole and are counted together`() async throws {
        let log = sink.logger()
        await withTaskGroup(of: Void.self) { group in
            for task in 0..<8 {
                group.addTask {
                    for number in 0..<1_000 { log.info("busy", ["task": "\(task)", "number": "\(number)"]) }
                }
            }
        }
        #expect(sink.texts.count == TelemetryLimits.linesPerWindow)
        sink.advance(seconds: TelemetryLimits.windowSeconds)
        log.info("busy")
        #expect(try sink.objects().dropLast().last?["suppressed"] as? Int == 8_000 - TelemetryLimits.linesPerWindow)
    }

    @Test func `each line is written to standard error in one call`() async throws {
        let began = Date()
        let result = try await #require(
            processExitsWith: .success, observing: [\.standardErrorContent]
        ) {
            Logger(service: "exit-test").notice("said aloud", ["key": "value"])
        }
        let text = String(decoding: result.standardErrorContent, as: UTF8.self)
        let line = try #require(text.split(separator: "\n").first { $0.contains("said aloud") })
        let object = try #require(JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
        #expect(object["service"] as? String == "exit-test")
        let time = try #require(object["time"] as? String)
        let style = Date.ISO8601FormatStyle(includingFractionalSeconds: true)
        let said = try Date(time, strategy: style)
        #expect(said > began.addingTimeInterval(-1) && said < Date().addingTimeInterval(1))
    }
}
