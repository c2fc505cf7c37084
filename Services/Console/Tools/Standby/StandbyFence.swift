import EventSourcing
import Host
import JSON
import Postgres
import System
import Vocabulary

/// Keeps a machine whose standby was promoted from running the farm beside it.
struct StandbyFence {
    private let farmPaths: FarmPaths

    init(_ farmPaths: FarmPaths) { self.farmPaths = farmPaths }

    private var folder: StandbyFolder { StandbyFolder(farmPaths) }

    /// Asks the standby whether it was promoted. Returns whether this machine is fenced; false if it is not reached.
    ///
    /// A standby that receives has the promotion of an earlier pair in its copy, which says nothing of its own. What a
    /// promoted one says is stored, so that it holds without the standby from then on.
    func look() throws -> Bool {
        if File.exists(folder.fence) { return true }
        guard let settings = try farmPaths.standbySettings, settings.role == .primary,
            let peer = settings.peer
        else { return false }
        let rows: [[PGValue]]
        do throws(PostgresError) {
            rows = try Connection(folder.conninfo(to: peer, settings)).query(
                """
                SELECT origin, position, hash, to_char(at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"')
                FROM standby.promotion WHERE NOT pg_is_in_recovery()
                """)
        } catch {
            return false
        }
        guard !rows.isEmpty else { return false }
        var json = JSONWriter()
        json.object { json in
            json.field("by", peer)
            if case .text(let at)? = rows.first?.last { json.field("at", at) }
            json.field(
                "journals",
                array: { json in
                    for row in rows {
                        guard case .text(let origin) = row[0], case .integer(let position) = row[1],
                            case .bytes(let hash) = row[2]
                        else { continue }
                        json.element(object: { json in
                            json.field("origin", origin)
                            json.field("position", position)
                            json.field("hash", Hex.encode(hash))
                        })
                    }
                })
        }
        try File.writeAtomically(folder.fence, json.bytes + [10], mode: 0o600)
        return true
    }

    /// Throws `Refusal` if the standby was promoted.
    func check() throws {
        guard try look() else { return }
        let json = try JSONValue.parse(try File.read(folder.fence, limit: 1 << 20))
        let by: String = try json.get("by")
        throw Refusal(
            "The standby at \(by) was promoted (\(try json.find("at") ?? "")) and runs this farm now; this machine must not.\n"
                + "What only this machine has:  furrow standby lost --home \(farmPaths.home)\n"
                + "To make it the standby of the new one: move this home away, and join with a new one.")
    }

    /// Returns up to where the journal of each origin continues at the promoted standby; nil if this machine is not
    /// fenced.
    func kept() throws -> [String: Position]? {
        guard File.exists(folder.fence) else { return nil }
        let json = try JSONValue.parse(try File.read(folder.fence, limit: 1 << 20))
        var kept: [String: Position] = [:]
        for journal in try json.get("journals", as: [JSONValue].self) {
            kept[try journal.get("origin")] = try journal.get("position")
        }
        return kept
    }
}
