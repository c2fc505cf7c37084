import EventSourcing
import EventStore

/// A minimal model of tables, to compare implementations with: a list of rows, sorted on demand.
private struct TablesModel {
    var crates: [[UInt8]: CrateRow] = [:]
    var tags: Set<[UInt8]> = []

    func sorted(_ isWanted: (CrateRow) -> Bool) -> [CrateRow] {
        crates.sorted { $0.key.lexicographicallyPrecedes($1.key) }.map(\.value).filter(isWanted)
    }
}

extension TablesContract {
    @Sendable static func follows(_ harness: TablesHarness) throws {
        for seed in UInt64(1)...3 {
            var random = SplitMix64(seed: seed)
            var store = try harness.create(schemas)
            let memory = try MemoryTables(schemas)
            var model = TablesModel()
            var kept = model
            for step in 0..<500 {
                let at = "seed \(seed), step \(step)"
                let key = keys(&random)
                switch Int.random(in: 0..<24, using: &random) {
                case 0:
                    try store.flush(at: Position(step))
                    kept = model
                case 1:
                    guard let reopen = harness.reopen else { continue }
                    store = try reopen(store, schemas)
                    model = kept
                    try restore(memory, to: model)
                case 2...5:
                    store.remove(CrateRow.self, key)
                    memory.remove(CrateRow.self, key)
                    model.crates[Array(key.utf8)] = nil
                case 6, 7:
                    store.put(TagRow(key))
                    memory.put(TagRow(key))
                    model.tags.insert(Array(key.utf8))
                case 8...10:
                    try look(into: store, model, &random, at)
                case 11:
                    try require(try store.digests(), equals: try memory.digests(), "the digests at \(at)")
                default:
                    let row = CrateRow(
                        key, label: texts.randomElement(using: &random),
                        grams: Int64.random(in: -9...9, using: &random),
                        warmth: numbers.randomElement(using: &random),
                        order: Bool.random(using: &random) ? "o\(Int.random(in: 0..<5, using: &random))" : nil)
                    store.put(row)
                    memory.put(row)
                    model.crates[Array(key.utf8)] = row
                }
                let found = store.get(CrateRow.self, key)?.spelled
                try require(found, equals: model.crates[Array(key.utf8)]?.spelled, "a row at \(at)")
            }
            try store.flush(at: 1_000)
            try require(try store.digests(), equals: try memory.digests(), "the digests of seed \(seed)")
        }
    }

    private static func keys(_ random: inout SplitMix64) -> String {
        Bool.random(using: &random)
            ? texts.randomElement(using: &random) ?? "" : "a/\(Int.random(in: 0..<40, using: &random))"
    }

    private static func restore(_ memory: MemoryTables, to model: TablesModel) throws {
        try memory.wipe()
        for row in model.crates.values { memory.put(row) }
        for key in model.tags { memory.put(TagRow(String(decoding: key, as: UTF8.self))) }
    }

    private static func look(
        into store: any TableStore, _ model: TablesModel, _ random: inout SplitMix64, _ at: String
    ) throws {
        let prefix = ["", "a", "a/1", "e"].randomElement(using: &random) ?? ""
        let after = Bool.random(using: &random) ? keys(&random) : nil
        let limit = Int.random(in: 0...30, using: &random)
        let scanned = store.scan(CrateRow.self, prefix: prefix, after: after, limit: limit)
        let expected = model.sorted { row in
            row.key.utf8.starts(with: prefix.utf8)
                && (after.map { $0.utf8.lexicographicallyPrecedes(row.key.utf8) } ?? true)
        }
        try require(scanned.map(\.spelled), equals: expected.prefix(limit).map(\.spelled), "a scan at \(at)")
        let label = texts.randomElement(using: &random) ?? ""
        let found = store.find(CrateRow.self, where: "label", is: label, limit: limit)
        let labelled = model.sorted { row in
            guard case .text(let text) = row.cells[0] else { return false }
            return text.utf8.elementsEqual(label.utf8)
        }
        try require(found.map(\.spelled), equals: labelled.prefix(limit).map(\.spelled), "a find at \(at)")
    }

    @Sendable static func overflows(_ harness: TablesHarness) throws {
        var store = try harness.create(schemas)
        let count = StoreLimits.rowsDirty + StoreLimits.rowsCached + 500
        for number in 0..<count {
            store.put(CrateRow("k\(number)", label: "l\(number % 7)", grams: Int64(number), warmth: nil, order: nil))
        }
        for number in stride(from: 0, to: count, by: 97) {
            let cells = store.get(CrateRow.self, "k\(number)")?.cells
            try require(cells?[1], equals: .integer(Int64(number)), "row \(number)")
        }
        if let reopen = harness.reopen {
            store = try reopen(store, schemas)
            try require(store.scan(CrateRow.self).count, equals: 0, "rows that were not flushed")
            for number in 0..<count {
                store.put(CrateRow("k\(number)", label: "l", grams: Int64(number), warmth: nil, order: nil))
            }
        }
        try store.flush(at: 5)
        try require(try store.digests().map(\.rows), equals: [count, 0], "rows after a flush")
        try require(store.get(CrateRow.self, "k1")?.cells[1], equals: .integer(1), "a row after a flush")
    }
}
