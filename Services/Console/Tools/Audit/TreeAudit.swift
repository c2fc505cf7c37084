import EventSourcing
import JSON
import Vocabulary
import Wire

/// Makes the hub's Merkle tree anew from the log's entries, and holds the tiles that are kept and every checkpoint that
/// was signed against it.
///
/// A chain tells what an event was, the log's entry besides where it stood, of whom and in which epoch; of an event
/// without bytes it alone tells what they committed to. A question is asked for each 256 entries, and one for their
/// tile.
struct TreeAudit {
    /// Asks the ledger.
    private let ask: (_ verb: String, _ body: [UInt8]) throws -> Answer
    private var tree = MerkleTiles()
    private var keys: [NoteKey] = []
    /// Signed checkpoints that the tree has not reached yet, the size of the last one asked for, and whether there was
    /// no other then.
    private var checkpoints: ArraySlice<LogCheckpoint> = []
    private var askedTo: UInt64 = 0
    private var isLast = false
    /// How much of the tree is signed for.
    private var signed: UInt64 = 0
    /// The largest one that no key of today has signed.
    private var former: UInt64 = 0
    /// How many checkpoints hold.
    private(set) var count = 0
    /// The last place without bytes.
    private var lastEmpty: Position = 0
    /// The first entries, tile or checkpoint that are not what was signed; nothing behind it is looked at.
    private(set) var flaw: String?

    private static let width = UInt64(MerkleTile.widthMax)

    init(asking ask: @escaping (_ verb: String, _ body: [UInt8]) throws -> Answer) {
        self.ask = ask
    }

    /// The next entry of the hub.
    mutating func add(_ entry: Entry) throws {
        if entry.isPruned { lastEmpty = entry.position }
        if entry.position.isMultiple(of: Self.width) { try looking { try $0.grow(to: entry.position) } }
    }

    /// The hub was read to there. What came since counts, too: the newest checkpoint may be about it.
    ///
    /// - Parameter restored: where the ledger tells last that it was restored, 0 where it never was. A restored ledger
    ///   signs with new keys: those that signed up to there are known to nobody any more, but what they signed is part
    ///   of what is signed now.
    mutating func end(at position: Position, restored: Position) throws {
        try looking { audit in
            try audit.grow(to: position)
            while case let newest = try audit.newest(), newest > audit.tree.size { try audit.grow(to: newest) }
            guard audit.lastEmpty <= audit.signed else {
                throw Flaw("\(audit.lastEmpty) is in no tree that was signed")
            }
            guard audit.former <= restored else {
                throw Flaw("the checkpoint of \(audit.former) is not signed by the ledger")
            }
        }
    }

    /// Where the log says that an entry of the hub stands: whose it is, and where there; nil where it says nothing.
    func place(of position: Position) throws -> LedgerEntry? {
        do {
            return try entries(from: position, 1, "what the log says of \(position)").first
        } catch is Flaw {
            // Whoever grows the tree says what is wrong there.
            return nil
        }
    }

    /// What is wrong, in words.
    private struct Flaw: Error {
        let sentence: String

        init(_ sentence: String) {
            self.sentence = sentence
        }
    }

    private mutating func looking(_ look: (inout TreeAudit) throws -> Void) throws {
        guard flaw == nil else { return }
        do {
            try look(&self)
        } catch let found as Flaw { flaw = found.sentence }
    }

    private mutating func grow(to last: Position) throws {
        while tree.size < last {
            let first = tree.size + 1
            let count = min(Self.width - tree.size % Self.width, last - tree.size)
            let entries = try entries(from: first, count, "what the log says of \(first)–\(first + count - 1)")
            // Only now: whatever was signed since is no smaller than the tree as it stands.
            isLast = false
            try checkNext()
            for entry in entries {
                tree.append(leaf: entry.leaf)
                try checkNext()
            }
            for tile in tree.takeChanged() where tile.isFull || tile.level > 0 { try check(tile) }
        }
    }

    /// Checks the checkpoint of the tree as it stands, if there is one.
    private mutating func checkNext() throws {
        while let next = try next(), next.size <= tree.size {
            checkpoints.removeFirst()
            guard next.root == tree.root else {
                throw Flaw("what the log says of \(signed + 1)–\(next.size) is not what was signed")
            }
            signed = next.size
            count += 1
        }
    }

    /// The first checkpoint that was not checked yet; asked for again where all of those were that there are.
    private mutating func next() throws -> LogCheckpoint? {
        if checkpoints.isEmpty, !isLast {
            let after = askedTo
            let told = try asked("checkpoints", "the checkpoints behind \(after)") { $0.field("after", after) }
            var page: [LogCheckpoint] = []
            for one in told["checkpoints"]?.array.map({ Array($0) }) ?? [] {
                page.append(try checkpoint(one.get("checkpoint"), of: one.get("size")))
            }
            checkpoints = page[...]
            askedTo = page.last?.size ?? askedTo
            isLast = page.isEmpty
        }
        return checkpoints.first
    }

    /// The size of the newest checkpoint.
    private mutating func newest() throws -> UInt64 {
        isLast = false
        while let next = try next() {
            guard next.size <= tree.size else { return checkpoints.last?.size ?? next.size }
            try checkNext()
        }
        return signed
    }

    /// A checkpoint of that size which every key of the ledger has signed, or none of them.
    private mutating func checkpoint(_ note: String, of size: UInt64) throws -> LogCheckpoint {
        if keys.isEmpty { keys = try ledgerKeys() }
        let what = "the checkpoint of \(size)"
        do throws(SignedNote.Refusal) {
            let signed = try SignedNote(note)
            let signers = try signers(of: signed)
            guard signers.isEmpty || signers.count == keys.count else { throw .unsigned }
            if signers.isEmpty { former = size }
            if let checkpoint = LogCheckpoint(signed.text), checkpoint.size == size { return checkpoint }
        } catch {
            throw Flaw("\(what) is not signed by the ledger: \(error)")
        }
        throw Flaw("\(what) is of another size")
    }

    private func signers(of note: SignedNote) throws(SignedNote.Refusal) -> [NoteKey] {
        do throws(SignedNote.Refusal) {
            return try note.verified(by: keys)
        } catch {
            guard error == .unsigned else { throw error }
            return []
        }
    }

    private func ledgerKeys() throws -> [NoteKey] {
        let told = try asked("ledger-keys", "the ledger's keys")["checkpointKeys"]?.array.map { Array($0) } ?? []
        let keys = try told.compactMap { key in
            if let vkey: String = try key.find("vkey") { return NoteKey(vkey: vkey) }
            guard let spki: String = try key.find("spki") else { return nil }
            return NoteKey(
                name: try key.get("name"), kind: .ecdsa, publicKey: BaseEncoding.base64.decode(spki) ?? [])
        }
        guard !keys.isEmpty, keys.count == told.count else { throw Flaw("the ledger names no keys of its checkpoints") }
        return keys
    }

    /// A tile as it is kept, which may be wider by now.
    private func check(_ tile: MerkleTile) throws {
        let span = UInt64(1) << UInt64(8 * tile.level)
        let first = tile.index * Self.width * span + 1
        let place = "the tree's tile of \(first)–\(first + UInt64(tile.width) * span - 1), level \(tile.level),"
        let answer = try asked("tile", place) { json in
            json.field("level", tile.level)
            json.field("index", tile.index)
            json.field("width", tile.width)
        }
        let hashes: String = try answer.get("hashes")
        guard BaseEncoding.base64.decode(hashes) == tile.hashes else {
            throw Flaw("\(place) is not what the log's entries make")
        }
    }

    private func entries(from first: Position, _ count: UInt64, _ place: String) throws -> [LedgerEntry] {
        let answer = try asked("entries", place) { json in
            json.field("first", first)
            json.field("count", count)
        }
        let texts: [String] = try answer.get("entries")
        var entries: [LedgerEntry] = []
        for (text, position) in zip(texts, first...) {
            do throws(JSONError) {
                entries.append(try LedgerEntry(Array(text.utf8)))
            } catch {
                throw Flaw("\(place) cannot be read: \(error)")
            }
            guard entries.last?.hub == position else { throw Flaw("\(place) is of other places") }
        }
        guard UInt64(entries.count) == count else { throw Flaw("\(place) has \(entries.count) entries") }
        return entries
    }

    /// What the ledger answers; a flaw where it cannot.
    private func asked(
        _ verb: String, _ what: String, _ write: (inout JSONWriter) -> Void = { _ in }
    ) throws -> JSONValue {
        var json = JSONWriter()
        json.object { write(&$0) }
        let answer = try ask(verb, json.bytes)
        let told = try JSONValue.parse(answer.body)
        guard answer.status == 200 else {
            let detail: String = try told.get("detail")
            throw Flaw("\(what) cannot be read: \(detail)")
        }
        return told
    }
}
