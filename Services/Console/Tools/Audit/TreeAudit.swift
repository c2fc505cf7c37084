import EventSourcing
import JSON
import Vocabulary
import Wire

/// Holds what the hub has let go against its signed tree.
///
/// Of an event without bytes no chain tells what it was, but the log's entry of it does: where it stood, and what its
/// bytes committed to. All entries of the same tile are asked for, and proven together to be those that were signed.
struct TreeAudit {
    /// Asks the ledger.
    private let ask: (_ verb: String, _ body: [UInt8]) throws -> Answer
    private var signed: LogCheckpoint?
    /// Tiles that lead to the root; many proofs in a row need the same ones.
    private let tiles = Tiles()
    /// The tile that was looked at last.
    private var last: UInt64?
    /// The first entries that are not those that were signed.
    private(set) var flaw: String?

    private final class Tiles {
        var kept: [MerkleTile.Address: [UInt8]] = [:]

        static let atMost = 32
    }

    init(asking ask: @escaping (_ verb: String, _ body: [UInt8]) throws -> Answer) {
        self.ask = ask
    }

    /// The next entry of the hub.
    mutating func add(_ entry: Entry) throws {
        let tile = (entry.position - 1) / UInt64(MerkleTile.widthMax)
        guard entry.isPruned, flaw == nil, tile != last else { return }
        last = tile
        do {
            try check(tile, with: entry.position)
        } catch let found as Flaw { flaw = found.sentence }
    }

    /// What is wrong with entries, in words.
    private struct Flaw: Error {
        let sentence: String

        init(_ sentence: String) {
            self.sentence = sentence
        }
    }

    private mutating func check(_ tile: UInt64, with position: Position) throws {
        if signed.map({ $0.size < position }) ?? true { signed = try tree() }
        guard let signed, signed.size >= position else { throw Flaw("\(position) is in no tree that was signed") }
        let first = tile * UInt64(MerkleTile.widthMax)
        let count = min(UInt64(MerkleTile.widthMax), signed.size - first)
        let place = "what the log says of \(first + 1)–\(first + count)"
        let leaves = try entries(from: first + 1, count, place).map(\.leaf)
        let reader = MerkleTileReader(size: signed.size) { [self] address in
            address.level == 0 && address.index == tile ? leaves.flatMap(\.self) : try self.tile(address)
        }
        // The path of the first is made of all the others.
        guard let leaf = leaves.first, let path = try reader.inclusion(of: first),
            MerkleProof.includes(leaf: leaf, index: first, size: signed.size, path: path, root: signed.root)
        else { throw Flaw("\(place) is not what was signed") }
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

    /// The newest tree that was signed. Its right edge is made of entries anew each time.
    private func tree() throws -> LogCheckpoint {
        let signed = try checkpoint()
        let edge = signed.size - signed.size % UInt64(MerkleTile.widthMax)
        guard try MerkleTileReader(size: signed.size, source: tile).root() == signed.root else {
            throw Flaw("what the log says of \(edge + 1)–\(signed.size), or its tree, is not what was signed")
        }
        return signed
    }

    /// The newest one, signed by the key that the ledger names.
    private func checkpoint() throws -> LogCheckpoint {
        let what = "the newest checkpoint"
        let note: String = try asked("checkpoint", what).get("checkpoint")
        let keys = try asked("ledger-keys", "the ledger's keys")["checkpointKeys"]?.array.map { Array($0) } ?? []
        guard let key = try keys.compactMap({ NoteKey(vkey: try $0.find("vkey") ?? "") }).first else {
            throw Flaw("the ledger names no key of its checkpoints")
        }
        do throws(SignedNote.Refusal) {
            let signed = try SignedNote(note)
            _ = try signed.verified(by: [key])
            if let checkpoint = LogCheckpoint(signed.text) { return checkpoint }
        } catch {
            throw Flaw("\(what) is not signed by the ledger: \(error)")
        }
        throw Flaw("\(what) is none")
    }

    private func tile(_ address: MerkleTile.Address) throws -> [UInt8] {
        if let kept = tiles.kept[address] { return kept }
        let answer = try asked("tile", "a tile of the tree") { json in
            json.field("level", address.level)
            json.field("index", address.index)
            json.field("width", address.width)
        }
        let hashes: String = try answer.get("hashes")
        if tiles.kept.count >= Tiles.atMost { tiles.kept.removeAll() }
        let tile = BaseEncoding.base64.decode(hashes) ?? []
        tiles.kept[address] = tile
        return tile
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
