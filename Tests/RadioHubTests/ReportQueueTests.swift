import BluetoothCentral
import SQLite
import System
import TestKit
import Testing
import Vocabulary

@testable import RadioHub

@Suite("The reports that wait on a hub's disk")
struct ReportQueueTests {
    private static let day: Int64 = 86_400_000_000
    private func report(_ number: Int, at microseconds: Int64? = nil) -> AdvertReport {
        AdvertReport(
            address: 0x546C_0E00_0001, data: [UInt8(number & 0xFF), UInt8(number >> 8 & 0xFF)], rssi: nil,
            at: Instant(microseconds: microseconds ?? Int64(number)), characteristic: nil, sensor: nil)
    }

    private func line(_ report: AdvertReport) -> String { AdvertReport.line(report.text, at: report.at) }

    @Test func `reports leave in the order in which they came, each once`() throws {
        try withTemporaryDirectory { folder in
            let queue = try ReportQueue(path: folder + "/queue.db")
            for number in 0..<1_200 { try queue.add([report(number)]) }
            var sent: [String] = []
            var keys: Set<String> = []
            while let batch = try queue.next() {
                #expect(batch.reports.count <= QueueLimits.batch)
                sent += batch.reports
                keys.insert(batch.key)
                try queue.settle(batch)
            }
            #expect(sent == (0..<1_200).map { line(report($0)) })
            #expect(keys.count == 3)
            #expect(try queue.waiting() == (0, nil))
        }
    }

    @Test func `a batch without a response has the same key and reports after a restart, although more came`() throws {
        try withTemporaryDirectory { folder in
            var queue: ReportQueue? = try ReportQueue(path: folder + "/queue.db")
            try queue?.add([report(1), report(2)])
            let first = try #require(try queue?.next())
            try queue?.add([report(3)])
            queue = nil
            let reopened = try ReportQueue(path: folder + "/queue.db")
            #expect(try reopened.next() == first)
            #expect(first.reports == [line(report(1)), line(report(2))])
            try reopened.settle(first)
            let second = try #require(try reopened.next())
            #expect(second.reports == [line(report(3))] && second.key != first.key)
        }
    }

    @Test func `old reports are removed and counted, but not those of a batch that may have arrived`() throws {
        try withTemporaryDirectory { folder in
            let queue = try ReportQueue(path: folder + "/queue.db")
            try queue.add([report(1, at: 0)])
            let sent = try #require(try queue.next())
            try queue.add([report(2, at: 0), report(3, at: 6 * Self.day), report(4, at: 9 * Self.day)])
            #expect(try queue.tidy(before: Instant(microseconds: 2 * Self.day)) == 1)
            #expect(try queue.next() == sent)
            try queue.settle(sent)
            #expect(
                try queue.next()?.reports == [line(report(3, at: 6 * Self.day)), line(report(4, at: 9 * Self.day))])
        }
    }

    @Test func `the oldest reports beyond the limit are removed and counted`() throws {
        try withTemporaryDirectory { folder in
            let queue = try ReportQueue(path: folder + "/queue.db")
            try queue.add((0..<10).map { report($0) })
            #expect(try queue.tidy(before: Instant(microseconds: 0), limit: 4) == 6)
            #expect(try queue.next()?.reports == (6..<10).map { line(report($0)) })
        }
    }

    @Test func `a batch that the farm refused is put aside with the reason, and the next one follows`() throws {
        try withTemporaryDirectory { folder in
            let queue = try ReportQueue(path: folder + "/queue.db")
            for number in 0..<20 {
                try queue.add([report(number)])
                try queue.setAside(try #require(try queue.next()), because: "400 hex is missing")
            }
            #expect(try queue.next() == nil)
            #expect(try queue.refused() == QueueLimits.refused)
            let rows = try Database(path: folder + "/queue.db", mode: .reader)
                .query("SELECT reason, reports FROM refused ORDER BY id")
            #expect(rows.first == [.text("400 hex is missing"), .text("{\"adverts\":[\(line(report(4)))]}")])
        }
    }

    @Test func `times of this run are corrected when the clock is set, but not those of a batch that may have arrived`()
        throws
    {
        try withTemporaryDirectory { folder in
            let path = folder + "/queue.db"
            var queue: ReportQueue? = try ReportQueue(path: path)
            try queue?.add([report(1, at: 0)])
            queue = nil
            let second = try ReportQueue(path: path)
            let sent = try #require(try second.next())
            try second.add([report(2, at: 5)])
            try second.shift(byMicroseconds: 9 * Self.day)
            #expect(try second.next() == sent && sent.reports == [line(report(1, at: 0))])
            try second.settle(sent)
            #expect(try second.next()?.reports == [line(report(2, at: 9 * Self.day + 5))])
        }
    }

    @Test func `reports of an earlier run keep their times when the clock is set`() throws {
        try withTemporaryDirectory { folder in
            let path = folder + "/queue.db"
            var queue: ReportQueue? = try ReportQueue(path: path)
            try queue?.add([report(1, at: 7)])
            queue = nil
            let second = try ReportQueue(path: path)
            try second.shift(byMicroseconds: Self.day)
            #expect(try second.next()?.reports == [line(report(1, at: 7))])
        }
    }

    @Test func `a clock that is set is noticed once, one that drifts is not`() {
        var clock = ClockWatch(real: 1_000_000_000, boot: 0)
        #expect(clock.difference(real: 1_010_500_000, boot: 10_000_000) == nil)
        #expect(clock.difference(real: 1_021_000_000, boot: 20_000_000) == nil)
        #expect(clock.difference(real: 1_021_000_000 + Self.day, boot: 20_000_000) == Self.day)
        #expect(clock.difference(real: 1_022_000_000 + Self.day, boot: 21_000_000) == nil)
        #expect(clock.difference(real: 1_022_000_000, boot: 21_000_000) == -Self.day)
    }

    @Test func `a second hub cannot open the queue`() throws {
        try withTemporaryDirectory { folder in
            let queue = try ReportQueue(path: folder + "/queue.db")
            #expect(throws: SQLiteError.self) { try ReportQueue(path: folder + "/queue.db") }
            #expect(try queue.waiting() == (0, nil))
        }
    }
}
