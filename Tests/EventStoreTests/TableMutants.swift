import EventSourcing
import EventStore
import TestKit

/// Broken view tables with one defect each. The contract must fail for every one of them.
enum TableMutant: CaseIterable, CustomStringConvertible, Sendable {
    case ordersAsSwift, scansFromAfterOn, losesRemovals, losesZeroSigns, digestsOneTable, findsStaleRows, goesOnFailed

    var description: String {
        switch self {
        case .ordersAsSwift: "tables in Swift's order"
        case .scansFromAfterOn: "tables that give the row they were to go on after"
        case .losesRemovals: "tables that keep removed rows"
        case .losesZeroSigns: "tables that lose the sign of zero"
        case .digestsOneTable: "tables that leave one out of the digests"
        case .findsStaleRows: "tables whose index is not kept"
        case .goesOnFailed: "tables that flush after a failure"
        }
    }

    var harness: TablesHarness {
        TablesHarness { schemas in MutantTables(self, try MemoryTables(schemas)) }
    }
}

/// In-memory tables with one defect.
final class MutantTables: TableStore {
    let mutant: TableMutant
    let inner: MemoryTables
    private var first: [String: CrateRow] = [:]
    private var ownPosition: Position = 0

    init(_ mutant: TableMutant, _ inner: MemoryTables) {
        self.mutant = mutant
        self.inner = inner
    }

    var position: Position { mutant == .goesOnFailed ? ownPosition : inner.position }

    func get<Row: TableRow>(_ type: Row.Type, _ key: String) -> Row? { inner.get(type, key) }

    func put(_ row: some TableRow) {
        guard let crate = row as? CrateRow else { return inner.put(row) }
        if first[crate.key] == nil { first[crate.key] = crate }
        guard mutant == .losesZeroSigns, case .real(0) = crate.cells[2] else { return inner.put(row) }
        var cells = crate.cells
        cells[2] = .real(0)
        do {
            inner.put(try CrateRow(key: crate.key, cells: cells))
        } catch {
            inner.put(row)
        }
    }

    func remove<Row: TableRow>(_ type: Row.Type, _ key: String) {
        if mutant != .losesRemovals { inner.remove(type, key) }
    }

    func scan<Row: TableRow>(_ type: Row.Type, prefix: String, after: String?, limit: Int) -> [Row] {
        switch mutant {
        case .ordersAsSwift:
            let all = inner.scan(type, prefix: prefix, after: after, limit: .max)
            return Array(all.sorted { $0.key < $1.key }.prefix(limit))
        case .scansFromAfterOn:
            let own = after.flatMap { $0.hasPrefix(prefix) ? inner.get(type, $0) : nil }
            return Array(
                ([own].compactMap(\.self) + inner.scan(type, prefix: prefix, after: after, limit: limit)).prefix(limit))
        default:
            return inner.scan(type, prefix: prefix, after: after, limit: limit)
        }
    }

    func find<Row: TableRow>(_ type: Row.Type, where column: String, is value: String, limit: Int) -> [Row] {
        let found = inner.find(type, where: column, is: value, limit: limit)
        guard mutant == .findsStaleRows, column == "label" else { return found }
        return inner.scan(type, prefix: "", after: nil, limit: .max).filter { row in
            first[row.key]?.cells[0] == .text(value)
        }
    }

    func flush(at position: Position) throws(LogFailure) {
        guard mutant == .goesOnFailed else { return try inner.flush(at: position) }
        do throws(LogFailure) {
            try inner.flush(at: position)
        } catch {
            ownPosition = position
        }
        ownPosition = position
    }

    func digests() throws(LogFailure) -> [TableDigest] {
        let digests = try inner.digests()
        return mutant == .digestsOneTable ? Array(digests.dropLast()) : digests
    }

    func wipe() throws(LogFailure) { try inner.wipe() }
}
