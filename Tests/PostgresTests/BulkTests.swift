import Postgres
import Testing

@Suite("Bulk operations")
struct BulkTests {
    @Test func `a pipeline runs every statement in one transaction`() throws {
        let connection = try PrivateCluster.connect()
        try connection.execute("CREATE TABLE e (n int8 PRIMARY KEY, body bytea)")
        let insert = "INSERT INTO e VALUES ($1, $2)"
        let many = (1...2_000).map {
            (sql: insert, values: [PGValue.integer($0), .bytes([UInt8](repeating: 7, count: 700))])
        }
        try connection.pipeline(many)
        #expect(try connection.query("SELECT count(*) FROM e") == [[.integer(2_000)]])
        let refused = #expect(throws: PostgresError.self) {
            try connection.pipeline([
                (insert, [.integer(3_000), .null]), (insert, [.integer(1), .null]), (insert, [.integer(3_001), .null]),
            ])
        }
        #expect(refused?.isUniqueViolation == true)
        #expect(connection.transactionStatus == .idle)
        #expect(try connection.query("SELECT count(*) FROM e") == [[.integer(2_000)]])
        try connection.pipeline([])
        print("pipeline: checked 2,003 statements")
    }

    @Test func `a pipeline may contain its own transaction`() throws {
        let connection = try PrivateCluster.connect()
        try connection.execute("CREATE TABLE e (n int8 PRIMARY KEY)")
        try connection.pipeline([
            ("BEGIN", []), ("INSERT INTO e VALUES ($1)", [.integer(1)]), ("SELECT * FROM e", []), ("COMMIT", []),
        ])
        #expect(connection.transactionStatus == .idle)
        #expect(throws: PostgresError.self) {
            try connection.pipeline([
                ("BEGIN", []), ("INSERT INTO e VALUES ($1)", [.integer(1)]), ("INSERT INTO nowhere VALUES (1)", []),
                ("COMMIT", []),
            ])
        }
        #expect(connection.transactionStatus == .failed)
        try connection.execute("ROLLBACK")
        #expect(try connection.query("SELECT n FROM e") == [[.integer(1)]])
    }

    @Test func `statements prepared after an error are prepared again`() throws {
        let connection = try PrivateCluster.connect()
        #expect(throws: PostgresError.self) {
            try connection.pipeline([("SELECT 1/0", []), ("SELECT $1::text", [.text("later")])])
        }
        #expect(try connection.query("SELECT $1::text", [.text("later")]) == [[.text("later")]])
        try connection.execute("DEALLOCATE ALL")
        #expect(throws: PostgresError.self) { try connection.pipeline([("SELECT $1::text", [.text("gone")])]) }
        try connection.pipeline([("SELECT $1::text", [.text("back")])])
    }

    @Test func `a pipeline with results larger than any buffer does not block`() throws {
        let connection = try PrivateCluster.connect()
        let wide = (sql: "SELECT repeat($1, 100000)", values: [PGValue.text("abcdefgh")])
        let statements = [(sql: String, values: [PGValue])](repeating: wide, count: 60)
        try connection.pipeline(statements)
        #expect(try connection.query("SELECT 1") == [[.integer(1)]])
    }

    @Test func `COPY stores every kind of value in its column`() throws {
        let connection = try PrivateCluster.connect()
        try connection.execute(
            """
            CREATE TABLE b (a int2, b int4, c int8, d float4, e float8, f text, g bytea, h bool, i jsonb, j varchar(9))
            """)
        let rows: [[PGValue]] = [
            [
                .integer(-2), .integer(70_000), .integer(.min), .real(1.5), .real(0.1), .text("tab\tnew\nline\\"),
                .bytes([0, 92, 255]), .boolean(true), .text("{\"k\": 1}"), .text("x"),
            ],
            [.null, .integer(2), .null, .null, .null, .text(""), .bytes([]), .boolean(false), .null, .null],
        ]
        let columns = ["a", "b", "c", "d", "e", "f", "g", "h", "i", "j"]
        try connection.copy(into: "b", columns: columns, rows: rows)
        #expect(try connection.query("SELECT * FROM b ORDER BY b DESC") == rows)
    }

    @Test func `COPY uses the text format for other types`() throws {
        let connection = try PrivateCluster.connect()
        try connection.execute("CREATE TABLE t (f text, g bytea, r float8, h bool, d numeric, u uuid)")
        let row: [PGValue] = [
            .text("tab\tnew\nline\r\\N"), .bytes([0, 92, 255]), .real(-.infinity), .boolean(true), .text("1.50"),
            .text("0190a5a0-0000-7000-8000-000000000001"),
        ]
        let columns = ["f", "g", "r", "h", "d", "u"]
        try connection.copy(into: "t", columns: columns, rows: [row, [.null, .null, .null, .null, .null, .null]])
        #expect(try connection.query("SELECT * FROM t WHERE f IS NOT NULL") == [row])
        #expect(try connection.query("SELECT count(*) FROM t") == [[.integer(2)]])
    }

    @Test func `COPY inserts all rows or none`() throws {
        let connection = try PrivateCluster.connect()
        try connection.execute("CREATE TABLE n (\"odd\"\"name\" int8 PRIMARY KEY, small int2, t text)")
        let columns = ["odd\"name", "small", "t"]
        let rows = (1...10_000).map { [PGValue.integer($0), .integer($0 % 7), .text("row \($0)")] }
        try connection.copy(into: "n", columns: columns, rows: rows)
        #expect(try connection.query("SELECT count(*) FROM n") == [[.integer(10_000)]])
        let wrong: [([PGValue], String)] = [
            ([.integer(20_000), .integer(40_000), .null], "22003"), ([.integer(20_000), .null], "22P04"),
            ([.integer(1), .null, .null], "23505"), ([.integer(20_000), .text("x"), .null], "42804"),
            ([.integer(20_000), .null, .text("\0")], "22021"),
        ]
        for (row, code) in wrong {
            let error = #expect(throws: PostgresError.self) {
                try connection.copy(into: "n", columns: columns, rows: [[.integer(19_999), .null, .null], row])
            }
            #expect(error?.code == code)
            #expect(try connection.query("SELECT count(*) FROM n") == [[.integer(10_000)]])
        }
        let missing = #expect(throws: PostgresError.self) {
            try connection.copy(into: "nowhere", columns: ["a"], rows: [[.null]])
        }
        #expect(missing?.code == "42P01")
        print("copy: checked 10,000 rows and \(wrong.count) refusals")
    }
}
