import EventSourcing
import JSON
import Vocabulary
import Wire

/// Rebuilds the hub's Merkle tree from the log's entries, and checks the stored tiles and every signed checkpoint
/// against it.
///
/// The chain proves an event's bytes. The log's entry also proves its position, origin and epoch, and is the only
/// record of an event without bytes. There is one request for each 256 entries, and one for their tile.
struct TreeAudit {
    /// Sends a request to the ledger.
    private let ask: (_ query: LedgerQueryName, _ body: [UInt8]) throws -> Response
    /// A tree that may be the signed one.
    private struct Candidate {
        var tree = MerkleTiles()
        /// The disputed entries that it takes from their tile; all others are the log's.
        var fromTile: Set<Position> = []
    }

    /// The tree of the log's entries.
    ///
    /// If an entry and its stored tile differ, there is also the tree of the tile, until the next signed checkpoint
    /// decides.
    private var trees = [Candidate()]
    /// Entries that differ between log and tile and are undecided.
    private var disputed: [Position] = []
    private var keys: [NoteKey] = []
    /// Signed checkpoints that the tree has not reached yet.
    ///
    /// `askedTo` is the size of the last requested one, and `isLast` whether no other existed then.
    private var checkpoints: ArraySlice<LogCheckpoint> = []
    private var askedTo: UInt64 = 0
    private var isLast = false
    /// The size up to which the tree is signed.
    private var signed: UInt64 = 0
    /// True after a signed root differed from the tree's: later ones prove nothing.
    private var isUnsigned = false
    /// The size of the largest checkpoint that no current key has signed.
    private var former: UInt64 = 0
    /// The number of valid checkpoints.
    private(set) var count = 0
    /// The last position without bytes.
    private var lastEmpty: Position = 0
    /// The entries, tiles and checkpoints that differ from what was signed.
    private(set) var flaws = Findings()
    /// True if neither the log nor a tile has an entry: the tree cannot be continued.
    private var isLost = false

    private static let width = UInt64(MerkleTile.widthMax)
    /// Each disputed entry doubles the candidates. Beyond this limit, only the tree of all log entries and that of all
    /// tiles continue.
    private static let candidates = 64

    init(asking ask: @escaping (_ query: LedgerQueryName, _ body: [UInt8]) throws -> Response) {
        self.ask = ask
    }

    private var size: UInt64 { trees[0].tree.size }

    /// Adds the next entry of the hub.
    mutating func add(_ entry: Entry) throws {
        if entry.isPruned { lastEmpty = entry.position }
        if entry.position.isMultiple(of: Self.width) { try looking { try $0.grow(to: entry.position) } }
    }

    /// Completes the check at the end of the hub, including entries that arrived since, because the newest checkpoint
    /// may cover them.
    ///
    /// - Parameter restored: the position at which the ledger last recorded a restore, 0 if it never did. A restored
    /// ledger signs with new keys. The former keys are unknown, but what they signed is part of what is signed now.
    mutating func end(at position: Position, restored: Position) throws {
        try looking { audit in
            try audit.grow(to: position)
            while case let newest = try audit.newest(), newest > audit.size { try audit.grow(to: newest) }
            audit.settle(winner: nil)
            if audit.lastEmpty > audit.signed { audit.flaws.add("\(audit.lastEmpty) is in no tree that was signed") }
            if audit.former > restored {
                audit.flaws.add("the checkpoint of \(audit.former) is not signed by the ledger")
            }
        }
    }

    /// Returns the log's record of a hub entry; nil if it has none.
    func place(of position: Position) throws -> LedgerEntry? {
        do {
            return try entries(from: position, 1).first
        } catch is Flaw {
            // The check of the tree reports this error.
            return nil
        }
    }

    /// A finding about the tree.
    private struct Flaw: Error {
        let sentence: String

        init(_ sentence: String) {
            self.sentence = sentence
        }
    }

    private mutating func looking(_ look: (inout TreeAudit) throws -> Void) throws {
        guard !isLost else { return }
        do {
            try look(&self)
        } catch let found as Flaw {
            flaws.add(found.sentence)
            isLost = true
        }
    }

    private mutating func grow(to last: Position) throws {
        while size < last {
            let first = size + 1
            let count = min(Self.width - size % Self.width, last - size)
            let made = try leaves(from: first, count)
            // The list of checkpoints is requested again only now: a later checkpoint is not smaller than the current
            // tree.
            isLast = false
            try checkNext()
            let kept = try keptLeaves(from: first, count)
            for (position, (made, kept)) in zip(first..., zip(made, kept)) {
                guard let leaf = made ?? kept else { throw Flaw("the tree cannot be made after \(position - 1)") }
                if let kept, kept != leaf {
                    dispute(position, leaf, kept)
                } else {
                    for index in trees.indices { trees[index].tree.append(leaf: leaf) }
                }
                try checkNext()
            }
            try checkChangedTiles()
        }
    }

    /// Continues with both trees if the log and a tile differ.
    private mutating func dispute(_ position: Position, _ made: [UInt8], _ kept: [UInt8]) {
        disputed.append(position)
        let isFull = trees.count * 2 > Self.candidates
        let others = isFull ? Array(trees.dropFirst()) : trees
        if isFull { trees = [trees[0]] }
        for index in trees.indices { trees[index].tree.append(leaf: made) }
        trees += others.map { candidate in
            var candidate = candidate
            candidate.tree.append(leaf: kept)
            candidate.fromTile.insert(position)
            return candidate
        }
    }

    /// Compares the stored Merkle tiles above the leaves with the tiles computed from the entries.
    private mutating func checkChangedTiles() throws {
        var made: [MerkleTile.Address: [[UInt8]]] = [:]
        for index in trees.indices {
            for tile in trees[index].tree.takeChanged() where tile.level > 0 {
                let place = MerkleTile.Address(level: tile.level, index: tile.index, width: tile.width)
                made[place, default: []].append(tile.hashes)
            }
        }
        for (place, hashes) in made.sorted(by: { ($0.key.level, $0.key.index) < ($1.key.level, $1.key.index) }) {
            try check(place, against: hashes)
        }
    }

    /// Checks each checkpoint of the current size.
    private mutating func checkNext() throws {
        while !isUnsigned, let next = try next(), next.size <= size {
            checkpoints.removeFirst()
            guard let winner = trees.firstIndex(where: { $0.tree.root == next.root }) else {
                flaws.add("the log's entries \(signed + 1)–\(next.size) differ from what was signed")
                isUnsigned = true
                return
            }
            settle(winner: winner)
            signed = next.size
            count += 1
        }
    }

    /// Reports whether log or tile was changed for each disputed entry.
    ///
    /// - Parameter winner: the index of the candidate that was signed; nil if no checkpoint decides.
    private mutating func settle(winner: Int?) {
        for position in disputed {
            let tile = "\(Self.tile(of: position)) has another hash of entry \(position) than"
            if let winner {
                let isLog = trees[winner].fromTile.contains(position)
                flaws.add(isLog ? "the log's entry \(position) differs from what was signed" : "\(tile) was signed")
            } else {
                flaws.add("\(tile) the log")
            }
        }
        disputed.removeAll()
        trees = [Candidate(tree: trees[winner ?? 0].tree)]
    }

    private static func tile(of position: Position) -> String {
        let first = (position - 1) / width * width + 1
        return "the tree's tile of \(first)–\(first + width - 1), level 0,"
    }

    /// Returns the first unchecked checkpoint. Requests more if all known ones are checked.
    private mutating func next() throws -> LogCheckpoint? {
        if checkpoints.isEmpty, !isLast {
            let after = askedTo
            let response = try asked(.checkpoints, "the checkpoints after \(after)") { $0.field("after", after) }
            let page = response["checkpoints"]?.array.map { Array($0) } ?? []
            for one in page {
                let size: UInt64 = try one.get("size")
                askedTo = max(askedTo, size)
                do {
                    checkpoints.append(try checkpoint(one.get("checkpoint"), of: size))
                } catch let found as Flaw { flaws.add(found.sentence) }
            }
            isLast = page.isEmpty
        }
        return checkpoints.first
    }

    /// Returns the size of the newest checkpoint.
    private mutating func newest() throws -> UInt64 {
        isLast = false
        while !isUnsigned, let next = try next() {
            guard next.size <= size else { return checkpoints.last?.size ?? next.size }
            try checkNext()
        }
        return signed
    }

    /// Returns a checkpoint that all keys of the ledger have signed, or none of them. Throws `Flaw` otherwise.
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
        let described = try asked(.ledgerKeys, "the ledger's keys")["checkpointKeys"]?.array.map { Array($0) } ?? []
        let keys = try described.compactMap { key in
            if let vkey: String = try key.find("vkey") { return NoteKey(vkey: vkey) }
            guard let spki: String = try key.find("spki") else { return nil }
            return NoteKey(
                name: try key.get("name"), kind: .ecdsa, publicKey: BaseEncoding.base64.decode(spki) ?? [])
        }
        guard !keys.isEmpty, keys.count == described.count else {
            throw Flaw("the ledger names no keys of its checkpoints")
        }
        return keys
    }

    /// Checks a stored tile of an upper level, which may be wider by now.
    private mutating func check(_ tile: MerkleTile.Address, against made: [[UInt8]]) throws {
        let span = UInt64(1) << UInt64(8 * tile.level)
        let first = tile.index * Self.width * span + 1
        let place = "the tree's tile of \(first)–\(first + UInt64(tile.width) * span - 1), level \(tile.level),"
        do {
            guard made.contains(try hashes(of: tile, place)) else {
                throw Flaw("\(place) is not what the log's entries make")
            }
        } catch let found as Flaw { flaws.add(found.sentence) }
    }

    /// Returns the leaves of a stored tile for a complete run; nil for each if the tile is not full or cannot be read.
    private mutating func keptLeaves(from first: Position, _ count: UInt64) throws -> [[UInt8]?] {
        let unknown = [[UInt8]?](repeating: nil, count: Int(count))
        guard (first - 1 + count).isMultiple(of: Self.width) else { return unknown }
        let (index, offset) = (first - 1).quotientAndRemainder(dividingBy: Self.width)
        do {
            let hashes = try hashes(
                of: MerkleTile.Address(level: 0, index: index, width: Int(Self.width)), Self.tile(of: first))
            guard hashes.count == Int(Self.width) * MerkleTree.hashBytes else {
                throw Flaw("\(Self.tile(of: first)) is not what the log's entries make")
            }
            return (Int(offset)..<Int(offset + count)).map {
                Array(hashes[($0 * MerkleTree.hashBytes)..<(($0 + 1) * MerkleTree.hashBytes)])
            }
        } catch let found as Flaw {
            flaws.add(found.sentence)
            return unknown
        }
    }

    private func hashes(of tile: MerkleTile.Address, _ place: String) throws -> [UInt8] {
        let answer = try asked(.tile, place) { json in
            json.field("level", tile.level)
            json.field("index", tile.index)
            json.field("width", tile.width)
        }
        return BaseEncoding.base64.decode(try answer.get("hashes", as: String.self)) ?? []
    }

    /// Returns the leaves of the log's entries; nil for each missing or unreadable entry, which is reported.
    ///
    /// An unreadable page is split in halves, so that single entries are named.
    private mutating func leaves(from first: Position, _ count: UInt64) throws -> [[UInt8]?] {
        do {
            return try entries(from: first, count).map(\.leaf)
        } catch let found as Flaw {
            guard count > 1 else {
                flaws.add(found.sentence)
                return [nil]
            }
            let half = count / 2
            return try leaves(from: first, half) + leaves(from: first + half, count - half)
        }
    }

    private func entries(from first: Position, _ count: UInt64) throws -> [LedgerEntry] {
        let place = count == 1 ? "the log's entry \(first)" : "the log's entries \(first)–\(first + count - 1)"
        let answer = try asked(.entries, place) { json in
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
            guard entries.last?.hub == position else { throw Flaw("\(place) has other positions") }
        }
        guard UInt64(entries.count) == count else {
            throw Flaw(count == 1 ? "the log has no entry at \(first)" : "\(place) has \(entries.count) entries")
        }
        return entries
    }

    /// Returns the ledger's response. Throws `Flaw` for an error status.
    private func asked(
        _ query: LedgerQueryName, _ what: String, _ write: (inout JSONWriter) -> Void = { _ in }
    ) throws -> JSONValue {
        var json = JSONWriter()
        json.object { write(&$0) }
        let answer = try ask(query, json.bytes)
        let body = try JSONValue.parse(answer.body)
        guard answer.status == 200 else {
            let detail: String = try body.get("detail")
            throw Flaw("\(what) cannot be read: \(detail)")
        }
        return body
    }
}
