import Foundation
import TestKit
import Testing
import Vocabulary

@testable import TraceLedger

@Suite("Time zones")
struct ZoneTests {
    private static let folder = "/usr/share/zoneinfo"

    /// Returns what date(1) prints for these seconds: the day, and the offset of the clocks.
    private static func date(_ seconds: [Int64], in name: String) throws -> [String] {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/date")
        process.arguments = ["--file=-", "+%Y-%m-%d %::z"]
        process.environment = ["TZ": name]
        let (asked, told) = (Pipe(), Pipe())
        (process.standardInput, process.standardOutput) = (asked, told)
        try process.run()
        try asked.fileHandleForWriting.write(contentsOf: Data(seconds.map { "@\($0)\n" }.joined().utf8))
        try asked.fileHandleForWriting.close()
        let text = String(decoding: try told.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
        process.waitUntilExit()
        // For a place without standard time it prints a negative offset of zero seconds.
        return text.replacing("-00:00:00", with: "+00:00:00").split(separator: "\n").map(String.init)
    }

    private static func written(_ ahead: Int64) -> String {
        func digits(_ number: Int64) -> String { String(String(100 + number).dropFirst()) }
        let seconds = abs(ahead)
        let clock = [seconds / 3600, seconds / 60 % 60, seconds % 60].map(digits).joined(separator: ":")
        return (ahead < 0 ? "-" : "+") + clock
    }

    @Test func `every zone has the days and offsets of the system until 2037`() throws {
        let list = try String(contentsOfFile: "\(Self.folder)/tzdata.zi", encoding: .utf8)
        let names = list.split(separator: "\n").compactMap { line -> String? in
            let words = line.split(separator: " ")
            return switch words.first {
            case "Z": String(words[1])
            case "L": String(words[2])
            default: nil
            }
        }
        var random = SplitMix64(seed: 2026)
        var checked = 0
        for name in names {
            let zone = try #require(Zones().zone(name), "\(name)")
            // Most of them are in years that lots have.
            let seconds =
                (0..<40).map { _ in Int64.random(in: 1_577_836_800..<2_145_916_800, using: &random) }
                + (0..<40).map { _ in Int64.random(in: -2_208_988_800..<2_145_916_800, using: &random) }
            for (second, told) in zip(seconds, try Self.date(seconds, in: name)) {
                let time = Instant(microseconds: second * 1_000_000)
                let found = "\(time.day(in: zone)) \(Self.written(zone.ahead(at: time)))"
                #expect(found == told, "\(name) at \(time)")
                if found == told { checked += 1 }
            }
        }
        print("zones: \(names.count), \(checked) days compared with date(1)")
        #expect(names.count > 400 && checked == names.count * 80)
    }

    @Test func `the offset of a zone changes at the exact second`() throws {
        for (name, changes) in [
            ("America/New_York", ["2026-03-08T07:00:00Z", "2026-11-01T06:00:00Z"]),
            ("Pacific/Auckland", ["2026-04-04T14:00:00Z", "2026-09-26T14:00:00Z"]),
            ("Europe/Dublin", ["2026-03-29T01:00:00Z", "2036-10-26T01:00:00Z"]),
        ] {
            let zone = try #require(Zones().zone(name))
            for text in changes {
                let change = try #require(Instant(text))
                let before = zone.ahead(at: change.advanced(bySeconds: -1))
                #expect(abs(zone.ahead(at: change) - before) == 3600, "\(name) \(text)")
                #expect(before == zone.ahead(at: change.advanced(bySeconds: -86_400)), "\(name) \(text)")
            }
        }
    }

    @Test func `the minute of a day follows the zone's clocks`() throws {
        let vienna = try #require(Zones().zone("Europe/Vienna"))
        for (text, minute) in [
            ("2026-01-15T21:59:59Z", 22 * 60 + 59), ("2026-01-15T23:00:00Z", 0), ("2026-07-15T22:00:00Z", 0),
            ("1969-12-31T23:30:00Z", 30),
        ] {
            #expect(try #require(Instant(text)).minuteOfDay(in: vienna) == minute, "\(text)")
        }
        #expect(try #require(Instant("2026-01-15T23:59:00Z")).minuteOfDay(in: .utc) == 1_439)
    }

    @Test func `the day of a time follows the zone's offset`() throws {
        let evening = try #require(Instant("2026-05-04T01:00:00Z"))
        #expect(evening.day(in: try #require(Zones().zone("America/New_York"))) == "2026-05-03")
        #expect(evening.day(in: try #require(Zones().zone("Asia/Kolkata"))) == "2026-05-04")
        #expect(evening.day(in: .utc) == "2026-05-04")
    }

    @Test func `a zone is not read from any other file`() throws {
        let whole = Array(try Data(contentsOf: URL(fileURLWithPath: "\(Self.folder)/Europe/Vienna")))
        #expect(Zone(file: whole) != nil)
        // Truncated before the text for later years, which is not read.
        let end = try #require(whole.dropLast().lastIndex(of: UInt8(ascii: "\n")))
        for length in 0..<end { #expect(Zone(file: Array(whole.prefix(length))) == nil, "\(length) bytes") }
        #expect(Zone(file: Array("TZif2".utf8) + [UInt8](repeating: 255, count: 100)) == nil)
        #expect(Zone(file: Array(try Data(contentsOf: URL(fileURLWithPath: "\(Self.folder)/tzdata.zi")))) == nil)
    }
}
