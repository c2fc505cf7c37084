import Host
import Testing
import Vocabulary

@testable import SyncGateway

@Suite("Clock check before sessions expire")
struct SteadyClockTests {
    @Test func `no session is removed after the wall clock was set ahead or back`() {
        let start = Instant(microseconds: 1_800_000_000_000_000)
        var clock = SteadyClock()
        func look(_ minute: Int64, ahead: Double = 0) -> Bool {
            clock.isSteady(
                start.advanced(bySeconds: Double(minute) * 60 + ahead),
                BootTime(id: "b", microseconds: minute * 60_000_000))
        }
        #expect(!look(0) && look(10) && look(20))
        #expect(!look(30, ahead: 1100 * 86_400), "it was moved ahead")
        #expect(!look(40), "it was put back")
        #expect(look(50))
        // A process that starts with a clock that is ahead removes nothing at its first check.
        clock = SteadyClock()
        #expect(!look(60, ahead: 1100 * 86_400) && !look(70) && look(80))
    }
}
