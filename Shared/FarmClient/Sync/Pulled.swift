import JSON
import SQLite

/// One response of `GET /v1/sync`, in the format of WatermelonDB.
struct Pulled: Sendable {
    /// The position up to which a client has all data; sent with the next request.
    struct Mark: Equatable, Sendable {
        var position: Int64
        var epoch: String
        var scope: String
        /// Microseconds since 1970, by the device's clock.
        var at: Int64

        var query: String {
            "?last_pulled_at=\(position)&epoch=\(Server.quoted(epoch))&scope=\(Server.quoted(scope))"
        }
    }

    let mark: Mark
    /// Whether it replaces all local records: the log has a new epoch, or the person has changed.
    let isAll: Bool
    let hasMore: Bool
    let me: FarmPerson?
    let payments: [String]
    let changes: [Change]
    /// The number of records without an id.
    let unnamed: Int

    init(_ json: JSONValue, at time: Int64) throws(JSONError) {
        mark = Mark(
            position: try json.get("timestamp"), epoch: try json.get("epoch"), scope: try json.get("scope"), at: time)
        isAll = try json.get("replace")
        hasMore = try json.get("more")
        me = try json.find("me", as: JSONValue.self).map { value throws(JSONError) in try FarmPerson(value) }
        payments = try json.get("payments")
        let tables: JSONValue = try json.get("changes")
        var changes: [Change] = []
        var unnamed = 0
        for table in FarmTable.allCases {
            guard let lists = tables[table.rawValue] else { continue }
            for list in ["created", "updated"] {
                for body in try lists.find(list, as: [JSONAny].self) ?? [] {
                    guard case .string(let id)? = body["id"] else {
                        unnamed += 1
                        continue
                    }
                    changes.append(Change(table: table, id: id, body: text(of: body)))
                }
            }
            for id in try lists.find("deleted", as: [String].self) ?? [] {
                changes.append(Change(table: table, id: id, body: nil))
            }
        }
        self.changes = changes
        self.unnamed = unnamed
    }
}

extension Pulled.Mark {
    init(_ json: JSONValue) throws(JSONError) {
        self.init(
            position: try json.get("position"), epoch: try json.get("epoch"), scope: try json.get("scope"),
            at: try json.get("at"))
    }

    var json: String {
        written { json in
            json.field("position", position)
            json.field("epoch", epoch)
            json.field("scope", scope)
            json.field("at", at)
        }
    }
}

extension ClientStore {
    /// The result of storing one response.
    struct Taken {
        /// Records that changed, or have an update to apply.
        var changed = 0
        /// Records that could not be read and were skipped.
        var failed: Int
    }

    /// Stores a response in one transaction, so that records, updates and position are always consistent.
    func take(_ pulled: Pulled, isFirst: Bool) throws(SQLiteError) -> Taken {
        let isAll = pulled.isAll || isFirst
        if pulled.isAll {
            try dropRecords(FarmTable.allCases)
            try dropNews()
        }
        var taken = Taken(failed: pulled.unnamed)
        for change in pulled.changes {
            let one = try take(change, isAll: isAll)
            taken.changed += one.changed
            taken.failed += one.failed
        }
        try put(.payments, text(of: pulled.payments))
        try put(.pulled, pulled.mark.json)
        if try recognise(pulled.me) { taken.changed += 1 }
        return taken
    }

    /// Stores one change of a record, or the update to apply.
    ///
    /// - Parameter isAll: whether it is applied in any case.
    func take(_ change: Change, isAll: Bool) throws(SQLiteError) -> Taken {
        let held = isAll ? nil : try body(change.table, change.id)
        try dropNews(change.table, change.id)
        // An update that changes nothing needs no confirmation.
        if !isAll && held == change.body { return Taken(failed: 0) }
        guard change.isWhole else { return Taken(failed: 1) }
        if isAll || !waits(change, held) { try put(change) } else { try putNews(change) }
        return Taken(changed: 1, failed: 0)
    }

    /// Stores the person whom the server recognised; returns whether the person changed.
    ///
    /// A person whose session has ended stays known while changes of theirs are pending.
    private func recognise(_ told: FarmPerson?) throws(SQLiteError) -> Bool {
        let known = try me()
        guard told != known else { return false }
        if told == nil, try pendingChanges().contains(where: { $0.person == known?.person }) { return false }
        try put(.me, told?.json)
        if told == nil { try put(.token, nil) }
        return true
    }

    /// Returns whether an update waits for `applyNews`; new and sold-out offers are applied at once.
    private func waits(_ change: Change, _ held: String?) -> Bool {
        change.table == .offers ? change.body != nil && held != nil : !change.table.isTakenAtOnce
    }
}
