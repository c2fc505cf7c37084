import EventSourcing
import Postgres
import SQLite

/// The answers that a journal's file keeps, a page at a time.
struct KeptAnswers {
    private let find: Statement
    private var last = (actor: "", key: "")

    private static let page = 128

    init(in database: Database) throws(SQLiteError) {
        find = try database.prepare(
            """
            SELECT actor, key, digest, status, body, sum FROM answer
            WHERE (actor, key) > (?, ?) ORDER BY actor, key LIMIT \(Self.page)
            """)
    }

    /// The next ones; none at the end.
    mutating func next() throws(SQLiteError) -> [(command: CommandName, kept: KeptAnswer)] {
        defer { find.reset() }
        try find.bind(1, last.actor)
        try find.bind(2, last.key)
        var page: [(command: CommandName, kept: KeptAnswer)] = []
        while try find.step() {
            last = (find.text(0), find.text(1))
            let command = CommandName(actor: last.actor, key: last.key)
            let answer = Answer(status: Int(find.integer(3)), body: find.blob(4))
            page.append((command, KeptAnswer(digest: find.blob(2), answer: answer, of: command, sum: find.integer(5))))
        }
        return page
    }
}

/// The answers that the hub keeps, a page at a time.
struct HubAnswers {
    private let connection: Connection
    private var last: [UInt8] = []

    private static let find = """
        SELECT name, actor, key, digest, status, body, sum FROM hub.answer WHERE name > $1 ORDER BY name LIMIT 128
        """

    init(on connection: Connection) {
        self.connection = connection
    }

    /// The next ones, each with the name that its row is found by; none at the end.
    mutating func next() throws(LogFailure) -> [(name: [UInt8], command: CommandName, kept: KeptAnswer)] {
        let rows = try asking("read answers") { [connection, last] () throws(PostgresError) in
            try connection.query(Self.find, [.bytes(last)])
        }
        let page = try rows.map { row throws(LogFailure) in
            guard row.count == 7, case .bytes(let name) = row[0], case .text(let actor) = row[1],
                case .text(let key) = row[2], case .bytes(let digest) = row[3], case .integer(let status) = row[4],
                case .bytes(let body) = row[5], case .integer(let sum) = row[6]
            else { throw LogFailure(operation: "read answers", message: "an answer has another shape") }
            let command = CommandName(actor: PostgresText.unescape(actor), key: PostgresText.unescape(key))
            let answer = Answer(status: Int(status), body: body)
            return (name, command, KeptAnswer(digest: digest, answer: answer, of: command, sum: sum))
        }
        last = page.last?.0 ?? last
        return page
    }
}
