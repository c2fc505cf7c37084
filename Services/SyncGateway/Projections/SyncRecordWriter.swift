import EventSourcing
import JSON
import Vocabulary

/// Writes the records that clients synchronise, and the position at which each changed.
///
/// An event is projected before the checkpoint moves past it, so a change is recorded at the checkpoint before it. A
/// client that pulled at that position lacks the change; a client that pulled later has it. A client therefore needs
/// the changes recorded at its own position and after.
struct SyncRecordWriter {
    typealias Members = [(String, JSONAny)]

    let tables: any Tables
    private let position: Position

    /// - Parameter position: the hub position of the checkpoint.
    init(_ tables: any Tables, at position: Position) {
        self.tables = tables
        self.position = position
    }

    static func key(_ table: String, _ id: String, of whose: String = "") -> String { "\(whose)|\(table)|\(id)" }

    /// Returns the members of a record, or nil if there is none.
    func members(_ table: String, _ id: String, of whose: String = "") -> Members? {
        guard let row = tables.get(SyncRow.self, Self.key(table, id, of: whose)), !row.isGone else { return nil }
        return row.members
    }

    /// Creates or replaces a record. Its id becomes its first member.
    func put(_ table: String, _ id: String, of whose: String = "", _ write: (inout JSONWriter) -> Void) {
        var json = JSONWriter()
        json.object { json in
            json.field("id", id)
            write(&json)
        }
        keep(Self.key(table, id, of: whose), String(decoding: json.bytes, as: UTF8.self))
    }

    /// Changes some members of a record; does nothing if it does not exist.
    func change(_ table: String, _ id: String, of whose: String = "", _ changes: Members) {
        guard var members = members(table, id, of: whose) else { return }
        for (name, value) in changes {
            if let index = members.firstIndex(where: { $0.0 == name }) {
                members[index].1 = value
            } else {
                members.append((name, value))
            }
        }
        var json = JSONWriter()
        JSONAny.object(members).write(to: &json)
        keep(Self.key(table, id, of: whose), String(decoding: json.bytes, as: UTF8.self))
    }

    func remove(_ table: String, _ id: String, of whose: String = "") {
        guard var row = tables.get(SyncRow.self, Self.key(table, id, of: whose)), !row.isGone else { return }
        row.isGone = true
        row.body = ""
        move(&row)
    }

    /// Moves a record to another owner; does nothing if it does not exist.
    func give(_ table: String, _ id: String, from: String, to: String) {
        guard let row = tables.get(SyncRow.self, Self.key(table, id, of: from)), !row.isGone else { return }
        keep(Self.key(table, id, of: to), row.body)
        remove(table, id, of: from)
    }

    /// Removes all records of an owner, without leaving deletion marks.
    func forget(_ whose: String) {
        while true {
            let rows = tables.scan(SyncRow.self, prefix: "\(whose)|", limit: 500)
            for row in rows {
                tables.remove(SyncLogRow.self, SyncLogRow.key(row.key, at: row.changed))
                tables.remove(SyncRow.self, row.key)
            }
            guard !rows.isEmpty else { return }
        }
    }

    private func keep(_ key: String, _ body: String) {
        guard var row = tables.get(SyncRow.self, key) else {
            tables.put(SyncRow(key: key, body: body, made: position, changed: position))
            tables.put(SyncLogRow(key, at: position))
            return
        }
        guard row.isGone || row.body != body else { return }
        if row.isGone { row.made = position }
        row.isGone = false
        row.body = body
        move(&row)
    }

    private func move(_ row: inout SyncRow) {
        tables.remove(SyncLogRow.self, SyncLogRow.key(row.key, at: row.changed))
        row.changed = position
        tables.put(row)
        tables.put(SyncLogRow(row.key, at: position))
    }
}
