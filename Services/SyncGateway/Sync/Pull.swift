import EventSourcing
import Events
import HTTP
import Host
import JSON
import Vocabulary
import Wire

/// Responds to clients that pull changes.
extension SyncGateway {
    mutating func pull(_ call: RequestContext, _ tables: any Tables) throws(Problem) -> [Effect] {
        let hub = tables.get(FeedCheckpointRow.self, "hub")?.checkpoint
        let whose = call.caller.flatMap { $0.session == nil ? nil : SyncViews.whose($0.person) }
        var scope = whose ?? "public"
        let county = call.parameter("county")
        if let county { scope += "|\(county)" }
        // The epoch includes the schema version: after a rebuild with another projection, a client's position no longer
        // covers what it has.
        let epoch = "\(hub?.epoch.description ?? "none").\(SyncRow.schema.version)"
        let position = hub?.position ?? 0
        var since = try Self.position(call.parameter("last_pulled_at"))
        if call.parameter("epoch") ?? epoch != epoch || call.parameter("scope") ?? scope != scope { since = nil }
        if let before = since, before > position { since = nil }

        if since == nil, call.caller == nil {
            let payments = payments
            let body = snapshots.body(of: county, epoch: epoch, at: position, tables) {
                var page = SyncPage(whose: nil, tables)
                page.readAll()
                if let county { page.keep(county: county) }
                return Self.response(page, position: position, epoch: epoch, scope: scope, payments, caller: nil).body
            }
            return [respond(call.web, body.response(to: call.web.request, type: "application/json"))]
        }
        var page = SyncPage(whose: whose, tables)
        if let since, page.read(since: since) {
            // The county's farms may have changed as well, so all of its records are sent.
            if county != nil, !page.isEmpty {
                page = SyncPage(whose: whose, tables)
                page.readAll()
            }
        } else {
            page = SyncPage(whose: whose, tables)
            page.readAll()
        }
        if let county { page.keep(county: county) }
        return [
            respond(
                call.web,
                HTTPResponse(
                    Self.response(
                        page, position: position, epoch: epoch, scope: scope, payments, caller: call.caller)))
        ]
    }

    private static func response(
        _ page: SyncPage, position: Position, epoch: String, scope: String, _ payments: [PaymentMethod], caller: Caller?
    ) -> Response {
        .made { json in
            json.field("changes", object: page.write)
            json.field("timestamp", max(1, page.last ?? position))
            json.field("epoch", epoch)
            json.field("scope", scope)
            json.field("replace", page.isAll)
            if page.isAll { json.field("experimentalStrategy", "replacement") }
            json.field("more", page.last != nil)
            json.field("payments", payments.map(\.rawValue))
            json.field("me", caller.map { .object(Self.told($0)) } ?? JSONAny.null)
        }
    }

    /// The payment methods on offer.
    private var payments: [PaymentMethod] { provider == nil ? [.atPickup] : [.atPickup, .sandbox] }

    private static func told(_ caller: Caller) -> [(String, JSONAny)] {
        [
            ("person", .string(caller.person.rawValue)), ("name", .string(caller.name)),
            ("email", .string(caller.email)), ("role", .string(caller.role.rawValue)),
        ] + (caller.language.map { [("language", .string($0.rawValue))] } ?? [])
    }

    /// Parses a client's position; nil if it is left out or `null`, as by a client without data.
    private static func position(_ text: String?) throws(Problem) -> Position? {
        guard let text, text != "null" else { return nil }
        guard let position = Position(text) else {
            throw Problem(400, "malformed", "last_pulled_at: give back the timestamp of the last answer.")
        }
        return position
    }
}

/// The records of one response.
struct SyncPage {
    private let whose: String?
    private let tables: any Tables
    private var records: [(table: String, id: String, row: SyncRow)] = []
    private var since: Position = 0
    private(set) var isAll = false
    /// The position that the response reaches if it is not complete; nil if it is.
    private(set) var last: Position?

    init(whose: String?, _ tables: any Tables) {
        self.whose = whose
        self.tables = tables
    }

    var isEmpty: Bool { records.isEmpty }

    /// Reads the changes at a position and after. Returns false if one position has more changes than fit into a
    /// response.
    mutating func read(since: Position) -> Bool {
        self.since = since
        var after = SyncLogRow.prefix(since)
        var looked = 0
        while true {
            let rows = tables.scan(SyncLogRow.self, prefix: "", after: after, limit: GatewayLimits.syncRows)
            for log in rows {
                guard looked < GatewayLimits.syncChanges else {
                    // The next pull reads this position again from its beginning.
                    last = Position(String(log.key.prefix(20)))
                    return last != since
                }
                looked += 1
                take(log.record)
            }
            guard let end = rows.last else { return true }
            after = end.key
        }
    }

    /// Reads all current records, without deletions.
    mutating func readAll() {
        isAll = true
        for owner in [""] + (whose.map { [$0] } ?? []) {
            var after: String?
            while true {
                let rows = tables.scan(SyncRow.self, prefix: "\(owner)|", after: after, limit: GatewayLimits.syncRows)
                for row in rows where !row.isGone { take(row) }
                guard let end = rows.last else { break }
                after = end.key
            }
        }
    }

    /// Removes the records of farms in other counties.
    mutating func keep(county: String) {
        var farms: Set<String> = []
        for record in records where record.table == "farms" {
            if record.row.text("county") == county { farms.insert(record.id) }
        }
        records.removeAll { record in
            switch record.table {
            case "farms": !farms.contains(record.id)
            case "products", "offers", "lots", "promotions": !farms.contains(record.row.text("farm") ?? "")
            case "pickups": record.row.text("county") != county
            default: false
            }
        }
    }

    private mutating func take(_ key: String) {
        guard key.hasPrefix("|") || (whose.map { key.hasPrefix("\($0)|") } ?? false),
            let row = tables.get(SyncRow.self, key)
        else { return }
        take(row)
    }

    private mutating func take(_ row: SyncRow) {
        let parts = row.key.split(separator: "|", maxSplits: 2, omittingEmptySubsequences: false)
        guard parts.count == 3 else { return }
        records.append((String(parts[1]), String(parts[2]), row))
    }

    /// `{"farms":{"created":[…],"updated":[…],"deleted":[…]}, …}`
    func write(_ json: inout JSONWriter) {
        for table in Set(records.map(\.table)).sorted() {
            let rows = records.filter { $0.table == table }
            let isNew = { (row: SyncRow) in isAll || row.made >= since }
            json.field(
                table,
                object: { json in
                    write("created", rows.filter { !$0.row.isGone && isNew($0.row) }, &json)
                    write("updated", rows.filter { !$0.row.isGone && !isNew($0.row) }, &json)
                    json.field("deleted", rows.filter(\.row.isGone).map(\.id))
                })
        }
    }

    private func write(_ name: String, _ rows: [(table: String, id: String, row: SyncRow)], _ json: inout JSONWriter) {
        json.field(name, array: { json in for row in rows { json.element(RawJSON(text: row.row.body)) } })
    }
}

/// JSON text that is written unchanged.
private struct RawJSON: JSONWritable {
    let text: String

    func write(to json: inout JSONWriter) { json.raw(Array(text.utf8)) }
}
