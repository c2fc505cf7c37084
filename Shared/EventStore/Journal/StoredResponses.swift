import EventSourcing
import SQLite

/// Iterates over the stored responses of a journal file, in pages.
struct StoredResponses {
    private let find: Statement
    private var last: CommandName?

    private static let page = 128

    init(in database: Database) throws(SQLiteError) {
        find = try database.prepare(
            """
            SELECT actor, key, digest, status, body, sum FROM answer
            WHERE (actor, key) > (?, ?) ORDER BY actor, key LIMIT \(Self.page)
            """)
    }

    /// Returns the next page, empty at the end.
    ///
    /// Throws at a name that is not valid text, which no version of Furrow writes: it could not be looked up, and the
    /// iteration could not pass it.
    mutating func next() throws(LogFailure) -> [(command: CommandName, kept: StoredResponse)] {
        let rows = try storing("read answers") { [find, last] () throws(SQLiteError) in
            defer { find.reset() }
            try find.bind(1, last?.actor.text ?? "")
            try find.bind(2, last?.key.text ?? "")
            var rows: [[SQLValue]] = []
            while try find.step() { rows.append((0..<6).map { find.value($0) }) }
            return rows
        }
        var page: [(command: CommandName, kept: StoredResponse)] = []
        for row in rows {
            guard case .text(let actor) = row[0], case .text(let key) = row[1], case .blob(let digest) = row[2],
                case .integer(let status) = row[3], case .blob(let body) = row[4], case .integer(let sum) = row[5]
            else { throw strange }
            let command = CommandName(actor: actor, key: key)
            if let last, (command.actor, command.key) <= (last.actor, last.key) { throw strange }
            last = command
            let answer = Response(status: Int(status), body: body)
            page.append((command, StoredResponse(digest: digest, answer: answer, of: command, sum: sum)))
        }
        return page
    }

    private var strange: LogFailure {
        let place = last.map { "behind that to \($0.actor.text)" } ?? "first"
        return LogFailure(operation: "read responses", message: "the stored response \(place) is malformed")
    }
}
