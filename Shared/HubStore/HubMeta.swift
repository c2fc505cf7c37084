import EventSourcing
import EventStore
import Postgres

/// The contents of the hub's `meta` table.
struct HubMeta {
    let origin: String
    /// The hub's epoch, which differs from the ledger's until the first new epoch of both.
    let epoch: Epoch
    let firstEpoch: Epoch

    init(_ connection: Connection) throws(LogFailure) {
        let rows = try asking("open") { () throws(PostgresError) in
            try connection.query("SELECT format, origin, epoch, firstepoch FROM hub.meta")
        }
        guard rows.count == 1, rows[0].count == 4, case .integer(let format) = rows[0][0],
            case .text(let origin) = rows[0][1], case .integer(let epoch) = rows[0][2],
            case .integer(let first) = rows[0][3]
        else { throw LogFailure(operation: "open", message: "schema hub is not a hub") }
        try JournalFormat.checkVersion(format)
        self.origin = origin
        self.epoch = Epoch(UInt64(bitPattern: epoch))
        firstEpoch = Epoch(UInt64(bitPattern: first))
    }
}
