import Foundation
import TestKit
import Testing
import Vocabulary

@Suite("Instants")
struct InstantTests {
    @Test(arguments: [
        ("1970-01-01T00:00:00.000000Z", 0), ("1969-12-31T23:59:59.999999Z", -1),
        ("2026-05-03T07:15:00.000000Z", 1_777_792_500_000_000), ("2000-02-29T12:00:00.000000Z", 951_825_600_000_000),
        ("1900-03-01T00:00:00.000000Z", -2_203_891_200_000_000), ("2038-01-19T03:14:08.000000Z", 2_147_483_648_000_000),
        ("0000-01-01T00:00:00.000000Z", -62_167_219_200_000_000),
        ("9999-12-31T23:59:59.999999Z", 253_402_300_799_999_999),
    ])
    func `an instant is written and read as in RFC 3339`(text: String, microseconds: Int) {
        let instant = Instant(microseconds: Int64(microseconds))
        #expect(instant.description == text)
        #expect(Instant(text) == instant)
        #expect(text.utf8.count == 27)
    }

    @Test(arguments: [
        // The first four are the examples of RFC 3339, section 5.8.
        ("1985-04-12T23:20:50.52Z", "1985-04-12T23:20:50.520000Z"),
        ("1996-12-19T16:39:57-08:00", "1996-12-20T00:39:57.000000Z"),
        ("1937-01-01T12:00:27.87+00:20", "1937-01-01T11:40:27.870000Z"),
        ("1990-12-31T15:59:60-08:00", "1991-01-01T00:00:00.000000Z"),
        ("2024-02-29T00:30:00+01:00", "2024-02-28T23:30:00.000000Z"),
        ("2026-05-03t07:15:00z", "2026-05-03T07:15:00.000000Z"),
        ("2026-05-03 07:15:00-00:00", "2026-05-03T07:15:00.000000Z"),
        ("2026-05-03T07:15:00.123456789Z", "2026-05-03T07:15:00.123456Z"),
    ])
    func `an instant is read with offsets, fractions and leap seconds`(text: String, written: String) {
        #expect(Instant(text)?.description == written)
    }

    @Test(arguments: [
        "", "2026", "2026-05-03", "2026-05-03T07:15", "2026-05-03T07:15:00", "2026-05-03T07:15:00.Z",
        "2026-05-03T07:15:00.1234567890Z", "2026-02-29T00:00:00Z", "1900-02-29T00:00:00Z", "2026-04-31T00:00:00Z",
        "2026-13-01T00:00:00Z", "2026-00-01T00:00:00Z", "2026-01-00T00:00:00Z", "2026-01-01T24:00:00Z",
        "2026-01-01T00:60:00Z", "2026-01-01T00:00:61Z", "2026-01-01T12:00:60Z", "2026-01-01T00:00:00+24:00",
        "2026-01-01T00:00:00+0100", "2026-01-01T00:00:00+01:60", "2026-01-01T00:00:00Z ", " 2026-01-01T00:00:00Z",
        "2026-1-01T00:00:00Z", "+2026-01-01T00:00:00Z", "-001-01-01T00:00:00Z", "2026-01-01T00:00:00,5Z",
        "２０２６-01-01T00:00:00Z", "0000-01-01T00:00:00+00:01", "9999-12-31T23:59:59-00:01",
    ])
    func `any other text is refused`(text: String) {
        #expect(Instant(text) == nil)
    }

    @Test func `random instants are read from their text without a change`() {
        var random = SplitMix64(seed: 1970)
        var checked = 0
        for _ in 0..<10_000 {
            let instant = Instant(
                microseconds: Int64.random(
                    in: Instant.earliest.microseconds...Instant.latest.microseconds, using: &random))
            if Instant(instant.description) == instant { checked += 1 }
        }
        print("instants: \(checked) came back from their text")
        #expect(checked == 10_000)
    }

    @Test func `calendar days agree with Foundation's calendar from 1896 to 2104`() {
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = .gmt
        var checked = 0
        for day in stride(from: -27028, through: 49307, by: 1) {
            let parts = calendar.dateComponents(
                [.year, .month, .day], from: Date(timeIntervalSince1970: Double(day) * 86_400))
            let text = Instant(microseconds: Int64(day) * 86_400_000_000).day
            let numbers = text.split(separator: "-").compactMap { Int($0) }
            if numbers == [parts.year, parts.month, parts.day] { checked += 1 }
        }
        print("instants: \(checked) days agree with Foundation's calendar")
        #expect(checked == 76336)
    }

    @Test func `an instant outside the years 0 to 9999 is written as the nearest inside them`() {
        #expect(Instant(microseconds: .max).description == "9999-12-31T23:59:59.999999Z")
        #expect(Instant(microseconds: .min).description == "0000-01-01T00:00:00.000000Z")
    }

    @Test func `an instant has an hour and a day, also before 1970`() {
        #expect(Instant("1969-12-31T23:30:00Z")?.hour == Instant("1969-12-31T23:00:00Z"))
        #expect(Instant("2026-05-03T07:59:59.999999Z")?.hour == Instant("2026-05-03T07:00:00Z"))
        #expect(Instant("2026-05-03T23:59:59Z")?.day == "2026-05-03")
    }

    @Test func `instants are moved and compared in seconds`() {
        let instant = Instant(microseconds: 1_000_000)
        #expect(instant.advanced(bySeconds: -1.5) == Instant(microseconds: -500_000))
        #expect(instant.seconds(since: Instant(microseconds: 3_500_000)) == -2.5)
        #expect(instant < Instant(microseconds: 1_000_001))
    }
}
