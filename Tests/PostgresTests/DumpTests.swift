import Postgres
import Testing

@Suite("Dumps of tables")
struct DumpTests {
    private struct Enough: Error {}

    @Test func `a dump is loaded again byte for byte, whatever its values`() throws {
        let connection = try PrivateCluster.connect()
        try connection.execute("CREATE TABLE a (n int8 PRIMARY KEY, t text, b bytea); CREATE TABLE b (LIKE a)")
        let rows: [[PGValue]] = (0..<4_000).map { number in
            [
                .integer(number), number % 7 == 0 ? .null : .text("ü\t\\\n\(number)"),
                .bytes([UInt8](repeating: UInt8(truncatingIfNeeded: number), count: 700)),
            ]
        }
        try connection.copy(into: "a", columns: ["n", "t", "b"], rows: rows)
        var pieces: [[UInt8]] = []
        try connection.copyOut("SELECT n, t, b FROM a ORDER BY n") { pieces.append($0) }
        #expect(pieces.count >= 2)
        var left = pieces[...]
        try connection.copyIn(into: "b", columns: ["n", "t", "b"]) { left.popFirst() ?? [] }
        #expect(
            try connection.query("SELECT count(*) FROM (SELECT * FROM a EXCEPT SELECT * FROM b) x") == [[.integer(0)]])
        #expect(try connection.query("SELECT count(*) FROM b") == [[.integer(4_000)]])
        var again: [UInt8] = []
        try connection.copyOut("SELECT n, t, b FROM b ORDER BY n") { again += $0 }
        #expect(again == pieces.flatMap { $0 })
        print("dump: \(again.count) bytes in \(pieces.count) pieces")
    }

    @Test func `a connection is usable after an error on either side of a dump`() throws {
        let connection = try PrivateCluster.connect()
        try connection.execute("CREATE TABLE a (n int8 PRIMARY KEY); INSERT INTO a SELECT generate_series(1, 200000)")
        #expect(throws: Enough.self) { try connection.copyOut("SELECT n FROM a") { _ in throw Enough() } }
        #expect(throws: PostgresError.self) { try connection.copyOut("SELECT n FROM nowhere") { _ in } }
        #expect(throws: PostgresError.self) { try connection.copyIn(into: "a", columns: ["n"]) { [] } }
        #expect(throws: Enough.self) { try connection.copyIn(into: "a", columns: ["n"]) { throw Enough() } }
        #expect(throws: PostgresError.self) { try connection.copyIn(into: "nowhere", columns: ["n"]) { [] } }
        #expect(try connection.query("SELECT count(*) FROM a") == [[.integer(200_000)]])
    }
}
