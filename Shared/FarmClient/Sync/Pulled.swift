import JSON
import SQLite

/// One answer of `GET /v1/sync`, in the shape of WatermelonDB.
struct Pulled: Sendable {
    /// Up to where a client has everything that the server has; it is given back with the next question.
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
    /// It holds everything and takes the place of what is here: another life of the log, or another person.
    let isAll: Bool
    let hasMore: Bool
    let me: FarmPerson?
    let payments: [String]
    let changes: [Change]
    /// Records without a name.
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
    /// What was written down of one answer.
    struct Taken {
        /// Records that changed or wait for a yes.
        var changed = 0
        /// Those that could not be understood and were left out.
        var failed: Int
    }

    /// Writes down what came. Records and news together are always all there is up to the mark, because both and the
    /// mark are written in one transaction.
    func take(_ pulled: Pulled, isFirst: Bool) throws(SQLiteError) -> Taken {
        let isAll = pulled.isAll || isFirst
        if pulled.isAll {
            try dropRecords(FarmTable.allCases)
            try dropNews()
        }
        var taken = Taken(failed: pulled.unnamed)
        for change in pulled.changes {
            let held = isAll ? nil : try body(change.table, change.id)
            try dropNews(change.table, change.id)
            // Nobody is asked about what changes nothing.
            if !isAll && held == change.body { continue }
            if !change.isWhole {
                taken.failed += 1
            } else {
                taken.changed += 1
                if isAll || !waits(change, held) { try put(change) } else { try putNews(change) }
            }
        }
        try put(.payments, text(of: pulled.payments))
        try put(.pulled, pulled.mark.json)
        if try recognise(pulled.me) { taken.changed += 1 }
        return taken
    }

    /// Whom the server takes the caller for, and whether that is somebody else than before. Whose session is over stays
    /// known while something of theirs waits.
    private func recognise(_ told: FarmPerson?) throws(SQLiteError) -> Bool {
        let known = try me()
        guard told != known else { return false }
        if told == nil, try pendingChanges().contains(where: { $0.person == known?.person }) { return false }
        try put(.me, told?.json)
        if told == nil { try put(.token, nil) }
        return true
    }

    /// Offers come and go with the stock: only another price, or the like, waits.
    private func waits(_ change: Change, _ held: String?) -> Bool {
        change.table == .offers ? change.body != nil && held != nil : !change.table.isTakenAtOnce
    }
}
