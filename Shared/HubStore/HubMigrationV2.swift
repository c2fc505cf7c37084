import EventSourcing
import EventStore
import JSON
import Postgres
import Vocabulary
import Wire

/// Upgrades a hub of version 1 to version 2, in one transaction.
///
/// It adds a checksum to each stored response and sets the creation time to that of the first event.
enum HubMigrationV2 {
    static func run(_ connection: Connection) throws(LogFailure) {
        guard try format(connection) < JournalFormat.version else { return }
        let created = try created(connection)
        try asking("renew") { () throws(PostgresError) in try connection.execute("BEGIN") }
        try sumAnswers(connection)
        try asking("renew") { () throws(PostgresError) in
            try connection.run(
                "UPDATE hub.meta SET format = $1, created = $2",
                [.integer(Int64(JournalFormat.version)), .text(created)])
            try connection.execute("COMMIT")
        }
    }

    private static func format(_ connection: Connection) throws(LogFailure) -> Int64 {
        let rows = try asking("open") { () throws(PostgresError) in
            try connection.query("SELECT format FROM hub.meta")
        }
        guard case .integer(let format)? = rows.first?.first else {
            throw LogFailure(operation: "open", message: "schema hub is not a hub")
        }
        return format
    }

    /// Returns the time at which the first event was recorded.
    private static func created(_ connection: Connection) throws(LogFailure) -> String {
        let rows = try asking("open") { () throws(PostgresError) in
            try connection.query("SELECT bytes FROM hub.entry WHERE hubpos = 1")
        }
        guard case .bytes(let bytes)? = rows.first?.first else {
            throw LogFailure(operation: "open", message: "the hub has no first entry")
        }
        do throws(JSONError) {
            return try EnvelopeCodec.read(bytes).envelope.recorded.description
        } catch {
            throw LogFailure(operation: "open", message: "the hub's first entry cannot be read: \(error)")
        }
    }

    private static func sumAnswers(_ connection: Connection) throws(LogFailure) {
        var answers = HubResponses(on: connection)
        while case let page = try answers.next(), !page.isEmpty {
            var names = PostgresArray()
            var sums = PostgresArray()
            for (name, command, kept) in page {
                names.append("\\x\(Hex.encode(name))")
                sums.append(plain: String(kept.sum(of: command)))
            }
            try asking("renew") { () throws(PostgresError) in
                try connection.run(
                    """
                    UPDATE hub.answer SET sum = new.sum
                    FROM unnest($1::bytea[], $2::bigint[]) new(name, sum) WHERE answer.name = new.name
                    """, [.text(names.text), .text(sums.text)])
            }
        }
    }
}
