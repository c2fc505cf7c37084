import EventSourcing
import EventStore
import Postgres
import Vocabulary

/// Iterates over the stored responses of the hub, in pages.
struct HubResponses {
    private let connection: Connection
    private var last: [UInt8] = []

    private static let find = """
        SELECT name, actor, key, digest, status, body, sum FROM hub.answer WHERE name > $1 ORDER BY name LIMIT 128
        """

    init(on connection: Connection) {
        self.connection = connection
    }

    /// Returns the next page, each response with the hashed name of its row; empty at the end.
    mutating func next() throws(LogFailure) -> [(name: [UInt8], command: CommandName, kept: StoredResponse)] {
        let rows = try asking("read answers") { [connection, last] () throws(PostgresError) in
            try connection.query(Self.find, [.bytes(last)])
        }
        let page = try rows.map { row throws(LogFailure) in
            guard row.count == 7, case .bytes(let name) = row[0], case .text(let actor) = row[1],
                case .text(let key) = row[2], case .bytes(let digest) = row[3], case .integer(let status) = row[4],
                case .bytes(let body) = row[5], case .integer(let sum) = row[6]
            else { throw LogFailure(operation: "read responses", message: "a stored response is malformed") }
            let command = CommandName(actor: PostgresText.unescape(actor), key: PostgresText.unescape(key))
            let answer = Response(status: Int(status), body: body)
            return (name, command, StoredResponse(digest: digest, answer: answer, of: command, sum: sum))
        }
        last = page.last?.0 ?? last
        return page
    }
}
