import Foundation
import Postgres
import Testing

@Suite("PostgreSQL connections")
struct ConnectionTests {
    @Test func `a failed connection reports its reason`() throws {
        let error = #expect(throws: PostgresError.self) {
            _ = try Connection("host=/nonexistent port=1 dbname=x user=x password=canary")
        }
        #expect(error?.operation == "connect")
        #expect(error?.isConnectionLost == true)
        #expect(error?.message.contains("canary") == false)
    }

    @Test func `a malformed connection string is refused`() {
        let error = #expect(throws: PostgresError.self) { _ = try Connection("host=x nonsense") }
        #expect(error?.code == "")
    }

    @Test func `every kind of value is sent and read back`() throws {
        let connection = try PrivateCluster.connect()
        try connection.execute(
            "CREATE TABLE v (n int, i int8, r float8, t text, b bytea, y bool); SELECT 1; SELECT 2")
        let rows: [[PGValue]] = [
            [.integer(1), .integer(.max), .real(0.1), .text("Möhre 🥕"), .bytes([0, 255, 10]), .boolean(true)],
            [.integer(2), .integer(.min), .real(-.infinity), .text(""), .bytes([]), .boolean(false)],
            [.integer(3), .null, .null, .null, .null, .null],
            [.integer(4), .integer(0), .real(.greatestFiniteMagnitude), .text("'; DROP"), .bytes([1]), .null],
        ]
        for row in rows { try connection.run("INSERT INTO v VALUES ($1, $2, $3, $4, $5, $6)", row) }
        #expect(try connection.query("SELECT * FROM v ORDER BY n") == rows)
        // One column without a cheap binary form makes the whole result text; the values must not differ.
        let mixed = try connection.query("SELECT *, n::numeric AS d FROM v ORDER BY n")
        #expect(mixed.map { $0.dropLast() } == rows.map { $0[...] })
        #expect(mixed.map(\.last) == [.text("1"), .text("2"), .text("3"), .text("4")])
    }

    @Test func `results are read by their type`() throws {
        let connection = try PrivateCluster.connect()
        let row = try connection.query(
            """
            SELECT 1::int2, 2::int4, 3::int8, 1.5::float4, 2.5::float8, 'a'::text, 'b'::varchar, 'c'::name,
                   '\\x0102'::bytea, true, '{"k": 1}'::jsonb, '{"k":1}'::json, null::text, 7::oid
            """)
        let expected: [PGValue] = [
            .integer(1), .integer(2), .integer(3), .real(1.5), .real(2.5), .text("a"), .text("b"), .text("c"),
            .bytes([1, 2]), .boolean(true), .text("{\"k\": 1}"), .text("{\"k\":1}"), .null, .integer(7),
        ]
        #expect(row == [expected])
        let texts = try connection.query(
            "SELECT 12.50::numeric, 'infinity'::float8, '2026-05-04 03:02:01+00'::timestamptz AT TIME ZONE 'UTC', 5::int4"
        )
        #expect(texts == [[.text("12.50"), .real(.infinity), .text("2026-05-04 03:02:01"), .integer(5)]])
    }

    @Test func `a text is accepted for any type that the server infers`() throws {
        let connection = try PrivateCluster.connect()
        try connection.execute("CREATE TABLE p (j jsonb, u uuid, t timestamptz, d numeric(6,2))")
        let values: [PGValue] = [
            .text("{\"a\": [1, 2]}"), .text("0190a5a0-0000-7000-8000-000000000001"), .text("2026-01-02T03:04:05Z"),
            .text("12.5"),
        ]
        try connection.run("INSERT INTO p VALUES ($1, $2, $3, $4)", values)
        let found = try connection.query("SELECT j, u, d FROM p WHERE u = $1 AND j @> $2", [values[1], .text("{}")])
        #expect(found == [[values[0], values[1], .text("12.50")]])
    }

    @Test func `one statement text accepts values of different types`() throws {
        let connection = try PrivateCluster.connect()
        try connection.execute("CREATE TABLE w (a text, b int8)")
        let sql = "INSERT INTO w VALUES ($1, $2)"
        try connection.run(sql, [.null, .null])
        try connection.run(sql, [.text("x"), .integer(1)])
        try connection.run(sql, [.null, .integer(2)])
        try connection.run(sql, [.integer(5), .text("3")])
        let rows = try connection.query("SELECT a, b FROM w ORDER BY b NULLS FIRST")
        #expect(
            rows == [[.null, .null], [.text("x"), .integer(1)], [.null, .integer(2)], [.text("5"), .integer(3)]])
        let kept = try connection.query(
            "SELECT count(*) FROM pg_prepared_statements WHERE statement = $1", [.text(sql)])
        #expect(kept == [[.integer(3)]])
    }

    @Test func `a statement is prepared once, and all are deallocated when there are too many`() throws {
        let connection = try PrivateCluster.connect()
        for number in 0..<50 as Range<Int64> {
            #expect(try connection.query("SELECT $1::int8", [.integer(number)]) == [[.integer(number)]])
        }
        #expect(try connection.query("SELECT count(*) FROM pg_prepared_statements") == [[.integer(2)]])
        for number in 0..<600 { #expect(try connection.query("SELECT \(number)") == [[.integer(Int64(number))]]) }
        guard case .integer(let kept) = try connection.query("SELECT count(*) FROM pg_prepared_statements")[0][0] else {
            Issue.record("no count")
            return
        }
        #expect(kept <= 256)
    }

    @Test func `queries succeed after tables or prepared statements have changed`() throws {
        let connection = try PrivateCluster.connect()
        try connection.execute("CREATE TABLE c (a int8); INSERT INTO c VALUES (1)")
        #expect(try connection.query("SELECT * FROM c") == [[.integer(1)]])
        try connection.execute("ALTER TABLE c ADD COLUMN b numeric DEFAULT 2.0")
        #expect(try connection.query("SELECT * FROM c") == [[.integer(1), .text("2.0")]])
        try connection.execute("DEALLOCATE ALL")
        #expect(try connection.query("SELECT * FROM c") == [[.integer(1), .text("2.0")]])
    }

    @Test func `an error names its cause but never a bound value`() throws {
        let connection = try PrivateCluster.connect()
        try connection.execute("CREATE TABLE k (id int8 PRIMARY KEY, name text UNIQUE, j jsonb)")
        try connection.run("INSERT INTO k VALUES ($1, $2)", [.integer(1), .text("canary")])
        let twice = #expect(throws: PostgresError.self) {
            try connection.run("INSERT INTO k VALUES ($1, $2)", [.integer(2), .text("canary")])
        }
        #expect(twice?.isUniqueViolation == true)
        #expect(twice?.isConnectionLost == false)
        let unreadable: [(String, PGValue)] = [
            ("SELECT $1::int8", .text("canary")), ("SELECT $1::uuid", .text("canary")),
            ("INSERT INTO k VALUES (3, 'c', $1)", .text("{canary")), ("SELECT $1::timestamptz", .text("canary")),
            ("SELECT $1::numeric(3)", .text("canary")), ("SELECT $1::text", .text("a canary\0")),
        ]
        for (sql, value) in unreadable {
            let error = #expect(throws: PostgresError.self) { _ = try connection.query(sql, [value]) }
            #expect(error?.code.hasPrefix("22") == true)
            #expect("\(String(describing: error))".contains("canary") == false)
        }
        #expect(twice?.message.contains("canary") == false)
        #expect(throws: PostgresError.self) { try connection.execute("SELEKT") }
        #expect(connection.isAlive)
    }

    @Test func `a connection reports the state of its transaction`() throws {
        let connection = try PrivateCluster.connect()
        #expect(connection.transactionStatus == .idle)
        try connection.execute("BEGIN")
        #expect(connection.transactionStatus == .inTransaction)
        #expect(throws: PostgresError.self) { _ = try connection.query("SELECT 1/0") }
        #expect(connection.transactionStatus == .failed)
        let error = #expect(throws: PostgresError.self) { _ = try connection.query("SELECT 1") }
        #expect(error?.code == "25P02")
        try connection.execute("ROLLBACK")
        #expect(connection.transactionStatus == .idle)
    }

    @Test func `a connection detects that the server has closed it`() throws {
        let victim = try PrivateCluster.connect()
        let other = try PrivateCluster.connect()
        let pid = try victim.query("SELECT pg_backend_pid()")[0][0]
        #expect(try other.query("SELECT pg_terminate_backend($1::int, 10000)", [pid]) == [[.boolean(true)]])
        let error = #expect(throws: PostgresError.self) { _ = try victim.query("SELECT 1") }
        #expect(error?.isConnectionLost == true)
        #expect(!victim.isAlive)
        #expect(victim.transactionStatus == .unknown)
        let again = #expect(throws: PostgresError.self) { try victim.pipeline([("SELECT 1", []), ("SELECT 2", [])]) }
        #expect(again?.isConnectionLost == true)
        #expect(throws: PostgresError.self) { try victim.copy(into: "x", columns: ["a"], rows: [[.null]]) }
        #expect(throws: PostgresError.self) { try victim.execute("SELECT 1") }
    }

    @Test func `an idle connection detects that the server has closed it`() throws {
        let victim = try PrivateCluster.connect()
        let other = try PrivateCluster.connect()
        let pid = try victim.query("SELECT pg_backend_pid()")[0][0]
        #expect(victim.isAlive)
        #expect(try other.query("SELECT pg_terminate_backend($1::int, 10000)", [pid]) == [[.boolean(true)]])
        // The first look may only find the server's last message, not yet the closed socket.
        var looks = 0
        while victim.isAlive, looks < 1_000_000 { looks += 1 }
        #expect(looks < 1_000_000)
    }

    @Test func `a COPY run as a query is refused and does not block the connection`() throws {
        let connection = try PrivateCluster.connect()
        try connection.execute("CREATE TABLE s (a int8)")
        for sql in ["COPY s FROM STDIN", "COPY (SELECT 1) TO STDOUT"] {
            let error = #expect(throws: PostgresError.self) { try connection.execute(sql) }
            #expect(error?.code == "0A000")
            #expect(throws: PostgresError.self) { _ = try connection.query(sql) }
            #expect(try connection.query("SELECT 1") == [[.integer(1)]])
        }
    }

    @Test func `large values are sent and read back`() throws {
        let connection = try PrivateCluster.connect()
        let blob = (0..<5_000_000).map { UInt8(truncatingIfNeeded: $0 &* 31) }
        #expect(
            try connection.query("SELECT $1::bytea, length($1::bytea)", [.bytes(blob)])[0] == [
                .bytes(blob), .integer(5_000_000),
            ])
    }
}
