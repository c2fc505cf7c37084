import Crypto
import EventSourcing
import EventStore
import System
import Vocabulary
import Wire

/// Checks the seals of a journal against its events as they are read, and against the segment files in this home.
struct SealAudit {
    private let feed: String
    private let folder: SegmentDirectory?
    /// By first position, the SHA-256 of a file's note and of the whole file.
    private var files: [Position: (note: [UInt8], digest: String)] = [:]
    /// Findings about files that differ from what was sealed.
    let damage: Findings
    private var keys: [NoteKey] = []
    /// The current run.
    ///
    /// `runs` has the completed ones that have no seal yet, oldest first. Their root is nil if something was pruned:
    /// then the signature alone proves it.
    private var tree = MerkleTiles()
    private var isWhole = true
    private var runs: [(root: [UInt8]?, after: [UInt8])] = []
    /// The pruned positions of the journal.
    private(set) var empty = PrunedPositions()
    /// By first position, the SHA-256 of a seal's chain and root. A pruned segment must have the same ones.
    private var seals: [Position: [UInt8]] = [:]
    /// By first position, files with another note than that of their seal: a later event must name their note.
    private var replaced: [Position: [UInt8]] = [:]
    /// The number of valid seals.
    private(set) var count = 0
    /// The findings about invalid seals.
    private var broken = Findings()

    /// Whether a later entry may explain what was read last.
    var isWaiting: Bool { broken.isEmpty && (empty.isWaiting || !replaced.isEmpty) }

    /// The findings about seals and pruned positions.
    var flaws: Findings {
        var flaws = broken
        for flaw in empty.flaws(of: feed) { flaws.add(flaw) }
        for first in replaced.keys.sorted() { flaws.add(Self.other(Self.name(from: first))) }
        return flaws
    }

    /// Reads and verifies every segment of the origin in this home.
    init(of origin: Origin, in home: String) throws {
        feed = origin.description
        let slot = "\(home)/\(origin.service)/\(origin.slot)"
        // In a compose stack, the services' folders are not visible to each other.
        guard Directory.isDirectory(slot) else {
            folder = nil
            damage = Findings()
            return
        }
        let folder = SegmentDirectory(ofJournal: "\(slot)/\(SQLiteLog.fileName)")
        self.folder = folder
        var damage = Findings()
        // The journal is read first: sealing continues meanwhile, and the journal names a segment once its file exists.
        let journal = "\(slot)/\(SQLiteLog.fileName)"
        var named: [ClosedRange<Position>] = []
        do throws(LogFailure) {
            if File.exists(journal) { named = try SQLiteReader(path: journal).segments() }
        } catch {
            guard !error.isAway else { throw Refusal("its file cannot be opened: \(error.message)") }
            damage.add("its file cannot be read: \(error.message)")
        }
        for name in try folder.names() {
            do throws(LogFailure) {
                let (first, file) = try Self.read("\(folder.path)/\(name)")
                files[first] = file
            } catch {
                damage.add("segment \(name): \(error.message)")
            }
        }
        for positions in named where files[positions.lowerBound] == nil {
            damage.add("segment \(SegmentDirectory.name(of: positions)) is not in its folder")
        }
        self.damage = damage
    }

    /// Returns a verified segment's first position, the SHA-256 of its note, and its own.
    private static func read(_ path: String) throws(LogFailure) -> (Position, (note: [UInt8], digest: String)) {
        let segment = try Segment(path: path)
        try segment.verify()
        return (segment.head.positions.lowerBound, (SHA256.hash(segment.note), try digest(of: path)))
    }

    /// Adds the next entry of the journal. Returns its witness statement, if it is one.
    mutating func add(_ entry: Entry) -> CheckpointWitnessed? {
        defer { grow(by: entry) }
        guard !entry.isPruned else {
            empty.add(entry.position)
            return nil
        }
        do throws(Flaw) {
            switch try Self.fact(entry) {
            case .sealKeyAnnounced(let announced):
                guard let key = NoteKey(vkey: announced.key), key.name == feed else {
                    throw Flaw("the seal key announced at \(entry.position) is none of \(feed)")
                }
                keys.append(key)
            case .sealed(let seal): try check(seal)
            case .pruned(let pruned):
                empty.explain(pruned, recordedAt: entry.position)
                try check(pruned)
            case .checkpointWitnessed(let statement): return statement
            default: break
            }
        } catch { broken.add(error.sentence) }
        return nil
    }

    private mutating func grow(by entry: Entry) {
        tree.append(leaf: MerkleTree.leaf(entry.bytes))
        if entry.isPruned { isWhole = false }
        guard tree.size == StoreLimits.sealEvents else { return }
        runs.append((isWhole ? tree.root : nil, entry.hash))
        (tree, isWhole) = (MerkleTiles(), true)
    }

    /// Checks the next seal, which is that of the oldest run without one; all its entries have been read.
    private mutating func check(_ seal: JournalSealed) throws(Flaw) {
        // The next seal belongs to the next run, valid or not.
        defer {
            if !runs.isEmpty { runs.removeFirst() }
            count += 1
        }
        let place = "the seal of \(seal.first)–\(seal.last)"
        let head: SegmentHead
        do throws(LogFailure) {
            head = try SegmentHead(note: Array(seal.note.utf8))
        } catch {
            throw Flaw("\(place): \(error.message)")
        }
        guard keys.contains(head.key) else { throw Flaw("\(place) is signed by a key that was never announced") }
        let sealed = Position(count * StoreLimits.sealEvents)
        guard head.feed == feed, head.positions.lowerBound == seal.first, head.positions.upperBound == seal.last,
            seal.first == sealed + 1, seal.last == sealed + Position(StoreLimits.sealEvents), let run = runs.first,
            Hex.encode(head.after) == seal.hash, Hex.encode(head.root) == seal.root
        else { throw Flaw("\(place) is of other positions or another journal") }
        guard run.after == head.after else { throw Flaw("\(place) has another chain than the journal") }
        guard run.root == nil || run.root == head.root else {
            throw Flaw("\(place) has another Merkle root than the journal")
        }
        if let file = try file(of: head.positions), file.digest != seal.file {
            guard file.note != SHA256.hash(Array(seal.note.utf8)) else {
                throw Flaw(Self.other(SegmentDirectory.name(of: head.positions)))
            }
            replaced[seal.first] = file.note
        }
        seals[seal.first] = Self.digest(of: head)
    }

    /// Checks a prune of a sealed run: its new segment must have the run's chain and root.
    private mutating func check(_ pruned: JournalPruned) throws(Flaw) {
        let place = "the prune of \(pruned.first)–\(pruned.last)"
        guard let note = pruned.note else {
            guard pruned.positions.isEmpty else { throw Flaw("\(place) is not signed") }
            return
        }
        let head: SegmentHead
        do throws(LogFailure) {
            head = try SegmentHead(note: Array(note.utf8))
        } catch {
            throw Flaw("\(place): \(error.message)")
        }
        guard keys.contains(head.key) else { throw Flaw("\(place) is signed by a key that was never announced") }
        guard head.isPruned, head.feed == feed, head.positions == pruned.first...pruned.last,
            seals[pruned.first] == Self.digest(of: head)
        else { throw Flaw("\(place) is of another run than the one that was sealed") }
        if replaced[pruned.first] == SHA256.hash(Array(note.utf8)) { replaced[pruned.first] = nil }
    }

    private static func digest(of head: SegmentHead) -> [UInt8] {
        SHA256.hash(head.before, head.after, head.root)
    }

    private static func name(from first: Position) -> String {
        SegmentDirectory.name(of: first...(first + Position(StoreLimits.sealEvents) - 1))
    }

    private static func other(_ name: String) -> String {
        "segment \(name) is not the one that the journal sealed"
    }

    /// Returns the file of a seal, read now if it was sealed after the others were read; nil if files are not checked.
    private func file(of positions: ClosedRange<Position>) throws(Flaw) -> (note: [UInt8], digest: String)? {
        guard let folder else { return nil }
        if let known = files[positions.lowerBound] { return known }
        let name = SegmentDirectory.name(of: positions)
        guard File.exists("\(folder.path)/\(name)") else { throw Flaw("segment \(name) is not in its folder") }
        do throws(LogFailure) {
            return try Self.read("\(folder.path)/\(name)").1
        } catch {
            throw Flaw("segment \(name): \(error.message)")
        }
    }

    /// A finding about a seal.
    private struct Flaw: Error {
        let sentence: String

        init(_ sentence: String) {
            self.sentence = sentence
        }
    }

    private static func fact(_ entry: Entry) throws(Flaw) -> JournalEvent? {
        do {
            let (envelope, json) = try EnvelopeCodec.read(entry.bytes)
            return try JournalEvent(name: envelope.name, json: json)
        } catch {
            throw Flaw("the event at \(entry.position) cannot be read: \(error)")
        }
    }

    private static func digest(of path: String) throws(LogFailure) -> String {
        do throws(SystemError) {
            let reader = try FileReader(path: path)
            var digest = SHA256Stream()
            while case let piece = try reader.read(1 << 20), !piece.isEmpty { digest.update(piece) }
            return Hex.encode(digest.finish())
        } catch {
            throw LogFailure(operation: "read a segment", message: "\(error)")
        }
    }
}
