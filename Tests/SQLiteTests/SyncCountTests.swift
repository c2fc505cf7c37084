import SQLite
import Testing

@Suite("Counting of disk syncs", .serialized)
struct SyncCountTests {
    @Test func `each commit of events counts one disk sync, and disposable data none`() throws {
        let folder = try Folder()
        let facts = try Database(path: folder.file("facts.db"), mode: .writer)
        try facts.execute("CREATE TABLE t(a)")
        let views = try Database(path: folder.file("views.db"), mode: .scratch)
        try views.execute("CREATE TABLE t(a)")
        var before = Database.syncs
        for number in 0..<20 { try facts.execute("INSERT INTO t VALUES(\(number))") }
        // Other tests of this process sync, too.
        #expect(Database.syncs - before >= 20)
        before = Database.syncs
        try facts.checkpoint()
        #expect(Database.syncs > before)
        for number in 0..<20 { try views.execute("INSERT INTO t VALUES(\(number))") }
        #expect(try facts.query("SELECT count(*) FROM t") == [[20]])
        #expect(try views.query("SELECT count(*) FROM t") == [[20]])
    }
}
