import Host
import Testing
import Vocabulary

@testable import Console

@Suite("A restore for a test")
struct RestoreTestTests {
    @Test func `a restore is tested at first, and then once a week, also after a change of the clock`() {
        let now = Instant(microseconds: 1_700_000_000_000_000)
        var record = BackupRecord()
        #expect(RestoreTest.isDue(record, at: now))
        record.restored = now
        #expect(!RestoreTest.isDue(record, at: now))
        #expect(!RestoreTest.isDue(record, at: now.advanced(bySeconds: 6.9 * 86_400)))
        #expect(RestoreTest.isDue(record, at: now.advanced(bySeconds: 7 * 86_400)))
        #expect(RestoreTest.isDue(record, at: now.advanced(bySeconds: -8 * 86_400)))
    }
}
