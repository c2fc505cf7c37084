import EventSourcing
import EventStore

extension TablesContract {
    private static func crate(_ key: String, _ number: Int = 0) -> CrateRow {
        CrateRow(
            key, label: texts[number % texts.count], grams: Int64(number) - 5,
            warmth: numbers[number % numbers.count], order: number.isMultiple(of: 3) ? nil : "o\(number % 4)")
    }

    /// Compares the rows' exact texts, because `==` equates canonically equivalent texts and both zeros.
    private static func requireSame(_ found: [CrateRow], _ expected: [CrateRow], _ what: String) throws {
        try require(found.map(\.spelled), equals: expected.map(\.spelled), what)
    }

    @Sendable static func keepsCells(_ harness: TablesHarness) throws {
        var store = try harness.create(schemas)
        var rows = texts.enumerated().map { index, text in
            CrateRow(text, label: text, grams: Int64(index), warmth: nil, order: "", note: text + text)
        }
        for (index, number) in numbers.enumerated() {
            rows.append(CrateRow("n\(index)", label: nil, grams: nil, warmth: number, order: nil))
        }
        for (index, number) in [Int64.min, -1, 0, 1, 1 << 53 + 1, .max].enumerated() {
            rows.append(CrateRow("i\(index)", label: "", grams: number, warmth: 0, order: nil))
        }
        for row in rows { store.put(row) }
        for phase in ["changed", "flushed", "reopened"] {
            if phase == "flushed" { try store.flush(at: 1) }
            if phase == "reopened" {
                guard let reopen = harness.reopen else { break }
                store = try reopen(store, schemas)
            }
            for row in rows {
                let found = store.get(CrateRow.self, row.key)
                try require(found?.spelled ?? "nothing", equals: row.spelled, "a row when \(phase)")
            }
            try require(store.get(CrateRow.self, "nobody") == nil, "there is a row that was not put")
        }
        try store.flush(at: 2)
    }

    @Sendable static func changes(_ harness: TablesHarness) throws {
        let store = try harness.create(schemas)
        for flushing in [false, true] {
            for number in 0..<50 {
                store.put(crate("k", number))
                store.put(TagRow("t"))
                if flushing { try store.flush(at: Position(number)) }
                let found = store.get(CrateRow.self, "k")
                try require(found?.spelled ?? "", equals: crate("k", number).spelled, "a replaced row")
                if number.isMultiple(of: 7) {
                    store.remove(CrateRow.self, "k")
                    store.remove(CrateRow.self, "never there")
                    try require(store.get(CrateRow.self, "k") == nil, "a removed row is there")
                    try require(store.scan(CrateRow.self).isEmpty, "a removed row is scanned")
                    store.put(crate("k", number))
                }
                try require(store.scan(CrateRow.self).count, equals: 1, "rows")
                try require(store.get(TagRow.self, "t"), equals: TagRow("t"), "a row without columns")
            }
        }
    }

    @Sendable static func scans(_ harness: TablesHarness) throws {
        let store = try harness.create(schemas)
        for (number, key) in texts.enumerated().shuffledEvenly() {
            store.put(crate(key, number))
            if number.isMultiple(of: 5) { try store.flush(at: Position(number)) }
        }
        try requireSame(store.scan(CrateRow.self), texts.enumerated().map { crate($1, $0) }, "all rows in order")
        for limit in [0, 1, 3, 100] {
            for after in [nil, "", "A", "a", "a/1", "nobody", "\u{1F345}"] as [String?] {
                for prefix in ["", "a", "a/", "a/1", "\u{E9}", "e", "zz"] {
                    let expected = texts.enumerated().filter { _, key in
                        key.utf8.starts(with: prefix.utf8)
                            && (after.map { $0.utf8.lexicographicallyPrecedes(key.utf8) } ?? true)
                    }
                    let found = store.scan(CrateRow.self, prefix: prefix, after: after, limit: limit)
                    try requireSame(
                        found, expected.prefix(limit).map { crate($1, $0) },
                        "prefix \(prefix), after \(after ?? "nothing"), limit \(limit)")
                }
            }
        }
    }

    @Sendable static func finds(_ harness: TablesHarness) throws {
        let store = try harness.create(schemas)
        let rows = (0..<60).map { crate("k\($0)", $0) }.sorted { $0.key < $1.key }
        for (number, row) in rows.enumerated() {
            store.put(row)
            if number == 30 { try store.flush(at: 1) }
        }
        for label in texts {
            let expected = rows.filter { row in
                if case .text(let found) = row.cells[0] { return found.utf8.elementsEqual(label.utf8) }
                return false
            }
            try requireSame(
                store.find(CrateRow.self, where: "label", is: label, limit: 100), expected, "rows labelled \(label)")
            try requireSame(
                store.find(CrateRow.self, where: "label", is: label, limit: 2), Array(expected.prefix(2)), "two rows")
        }
        // A changed row leaves its old index entry; a removed row leaves all of them.
        for row in rows { store.put(CrateRow(row.key, label: "moved", grams: 1, warmth: nil, order: "o9")) }
        store.remove(CrateRow.self, "k7")
        try require(store.find(CrateRow.self, where: "label", is: "A", limit: 100).count, equals: 0, "rows that left")
        try require(store.find(CrateRow.self, where: "order", is: "o9", limit: 100).count, equals: 59, "rows that came")
        try store.flush(at: 2)
        try require(store.find(CrateRow.self, where: "label", is: "moved", limit: 100).count, equals: 59, "flushed")
    }

    @Sendable static func flushes(_ harness: TablesHarness) throws {
        var store = try harness.create(schemas)
        try require(store.position, equals: 0, "the position of empty tables")
        guard let reopen = harness.reopen else { return }
        store.put(crate("a", 1))
        store.put(crate("b", 2))
        try store.flush(at: 7)
        try require(store.position, equals: 7, "the position after a flush")
        let kept = try store.digests()
        store.put(crate("a", 3))
        store.remove(CrateRow.self, "b")
        store.put(crate("c", 4))
        // Reading may make an implementation write buffered rows, but not commit them.
        try require(store.scan(CrateRow.self).count, equals: 2, "rows before a crash")
        try require(store.position, equals: 7, "the position with changes")
        store = try reopen(store, schemas)
        try require(store.position, equals: 7, "the position after a crash")
        try require(try store.digests(), equals: kept, "the tables after a crash")
        try requireSame(store.scan(CrateRow.self), [crate("a", 1), crate("b", 2)], "the rows after a crash")
        store.put(crate("d", 5))
        try store.flush(at: 9)
        try store.flush(at: 12)
        store = try reopen(store, schemas)
        try require(store.position, equals: 12, "the position of a flush without changes")
        try require(store.scan(CrateRow.self).count, equals: 3, "rows after another flush")
    }

    @Sendable static func reshapes(_ harness: TablesHarness) throws {
        guard let reopen = harness.reopen else { return }
        var store = try harness.create(schemas)
        store.put(crate("a", 1))
        try store.flush(at: 7)
        store = try reopen(store, schemas.reversed())
        try require(store.position, equals: 7, "the position with tables declared in another order")
        store = try reopen(store, [OtherCrateRow.schema, TagRow.schema])
        try require(store.position, equals: 0, "the position of tables of another shape")
        try require(store.scan(OtherCrateRow.self).count, equals: 0, "rows of another shape")
        try require(try store.digests().map(\.table), equals: ["crate", "tag"], "tables of another shape")
        store.put(TagRow("t"))
        try store.flush(at: 3)
        store = try reopen(store, [TagRow.schema])
        try require(store.position, equals: 0, "the position with a table less")
        try require(try store.digests().map(\.table), equals: ["tag"], "tables after one was dropped")
        store.put(TagRow("t"))
        try store.flush(at: 4)
        let shape = TagRow.schema
        store = try reopen(store, [TableSchema(shape.name, shape.columns, indexed: shape.indexed, version: 2)])
        try require(store.position, equals: 0, "the position of tables of another projection version")
        try require(store.scan(TagRow.self).count, equals: 0, "rows of another projection version")
    }

    @Sendable static func wipes(_ harness: TablesHarness) throws {
        var store = try harness.create(schemas)
        let empty = try store.digests()
        for flushing in [true, false] {
            store.put(crate("a", 1))
            if flushing { try store.flush(at: 7) }
            store.put(TagRow("t"))
            try store.wipe()
            try require(store.position, equals: 0, "the position after a wipe")
            try require(try store.digests(), equals: empty, "the tables after a wipe")
            try require(store.get(CrateRow.self, "a") == nil, "a wiped row is there")
        }
        store.put(crate("b", 2))
        try store.flush(at: 1)
        guard let reopen = harness.reopen else { return }
        store = try reopen(store, schemas)
        try requireSame(store.scan(CrateRow.self), [crate("b", 2)], "rows after a wipe")
    }

    @Sendable static func digests(_ harness: TablesHarness) throws {
        let store = try harness.create(schemas)
        var seen: [TableDigest] = []
        /// Makes one change, which must change the digest of that table only, to a new value.
        func change(_ table: String, _ what: String, _ change: () -> Void) throws {
            let before = try store.digests()
            change()
            let after = try store.digests()
            for (old, new) in zip(before, after) {
                try require((old != new) == (new.table == table), "\(what) changed \(new.table) wrongly")
                guard new.table == table else { continue }
                try require(!seen.contains(new), "\(what) gives a digest that was there")
                seen.append(new)
            }
        }
        try require(try store.digests().map(\.table), equals: ["crate", "tag"], "the tables")
        try require(try store.digests().map(\.rows), equals: [0, 0], "the rows of empty tables")
        seen += try store.digests()
        try change("tag", "a tag") { store.put(TagRow("t")) }
        try change("crate", "a row") { store.put(CrateRow("a", label: nil, grams: nil, warmth: nil, order: nil)) }
        for value in ["", "0", "a"] {
            try change("crate", "a label") {
                store.put(CrateRow("a", label: value, grams: nil, warmth: nil, order: nil))
            }
            try change("crate", "an order") {
                store.put(CrateRow("a", label: nil, grams: nil, warmth: nil, order: value))
            }
        }
        try change("crate", "an integer") { store.put(CrateRow("a", label: nil, grams: 0, warmth: nil, order: nil)) }
        for number in [0, -0.0, .nan, .leastNonzeroMagnitude] as [Double] {
            try change("crate", "\(number)") {
                store.put(CrateRow("a", label: nil, grams: nil, warmth: number, order: nil))
            }
        }
        try change("crate", "a border between cells") {
            store.put(CrateRow("a", label: "xy", grams: nil, warmth: nil, order: "z"))
        }
        try change("crate", "a border moved") {
            store.put(CrateRow("a", label: "x", grams: nil, warmth: nil, order: "yz"))
        }
        try change("crate", "another row") { store.put(crate("b", 1)) }
        try require(try store.digests().map(\.rows), equals: [2, 1], "the rows")
        let before = try store.digests()
        try store.flush(at: 4)
        try require(try store.digests(), equals: before, "the digests after a flush")
    }

    @Sendable static func fails(_ harness: TablesHarness) throws {
        for number in 0..<4 {
            let store = try harness.create(schemas)
            store.put(crate("a", 1))
            try store.flush(at: 1)
            switch number {
            case 0: store.put(StrayRow(key: "s", cells: [.null]))
            case 1: _ = store.get(StrayRow.self, "s")
            case 2: _ = store.find(CrateRow.self, where: "note", is: "x", limit: 1)
            default: store.put(try OtherCrateRow(key: "a", cells: [.text("one column less")]))
            }
            try require(store.get(CrateRow.self, "a") == nil, "a failed store returns a row (\(number))")
            try require(store.scan(CrateRow.self).isEmpty, "a failed store scans (\(number))")
            var failure: LogFailure?
            do throws(LogFailure) {
                try store.flush(at: 2)
            } catch {
                failure = error
            }
            try require(failure != nil, "a failed store flushes (\(number))")
            try require(store.position, equals: 1, "the position after a failure")
        }
    }
}

extension Sequence {
    /// Returns another order, always the same.
    fileprivate func shuffledEvenly() -> [Element] {
        var random = SplitMix64(seed: 11)
        return shuffled(using: &random)
    }
}
