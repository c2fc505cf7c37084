import Testing

@testable import SyncGateway

@Suite("When the administrators are notified of the farm server")
struct TroubleWatchTests {
    private typealias Finding = TroubleWatch.Finding

    private let disk = Finding(check: "disk", said: "The disk is full.", advice: nil)

    @Test func `a finding is raised when three reports in a row contain it`() {
        var watch = TroubleWatch()
        let reports = (1...4).map { watch.take([disk], open: [], at: $0 * 600) }
        #expect(reports.map(\.raised) == [[], [], [disk], [disk]])
    }

    @Test func `a service that restarts is not raised`() {
        var watch = TroubleWatch()
        for round in 0..<10 {
            let isSilent = round % 3 != 2
            let changes = watch.take(isSilent ? [disk] : [], open: [], at: UInt64(round) * 600)
            #expect(changes == TroubleWatch.Changes())
        }
    }

    @Test func `a new farm has an hour for its first backup`() {
        var watch = TroubleWatch()
        let backup = Finding(check: "backup", said: "There is no backup.", advice: "Make one.")
        let raised = (1...61).map { watch.take([backup], open: [], at: UInt64($0) * 600).raised.count }
        #expect(raised.firstIndex(of: 1) == 59 && raised.reduce(0, +) == 2)
    }

    @Test func `it is over when two reports in a row lack it, and is raised once until then`() {
        var watch = TroubleWatch()
        var changes: [TroubleWatch.Changes] = []
        for (tick, found) in [[disk], [disk], [], [disk], [], []].enumerated() {
            changes.append(watch.take(found, open: ["disk"], at: UInt64(tick) * 600))
        }
        let raised = changes.flatMap(\.raised)
        #expect(raised.isEmpty)
        #expect(changes.map(\.cleared) == [[], [], [], [], [], ["disk"]])
    }

    @Test func `a report that stops coming is raised itself, and over with the next one`() {
        var watch = TroubleWatch()
        let end = 100 + TroubleWatch.silentTicks
        let never = watch.silence(open: [], at: 1_000_000)
        _ = watch.take([], open: [], at: 100)
        let (early, late) = (watch.silence(open: [], at: end - 1), watch.silence(open: [], at: end))
        let again = watch.silence(open: ["watch"], at: end)
        #expect(never == nil && early == nil && again == nil)
        #expect(late?.check == "watch")
        let changes = watch.take([], open: ["watch"], at: 20_000)
        #expect(changes.cleared == ["watch"])
    }
}
