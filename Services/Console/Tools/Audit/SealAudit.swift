import Crypto
import EventSourcing
import EventStore
import System
import Vocabulary
import Wire

/// Holds the seals that a journal tells of against its events as they are read, and against the segments' files where
/// they lie in this home.
struct SealAudit {
    private let feed: String
    private let folder: SegmentDirectory?
    /// What every file has to be, by its first position: SHA-256 of the note it begins with, and of all of it.
    private var files: [Position: (note: [UInt8], digest: String)] = [:]
    /// The files that are not what they were sealed as.
    let damage: Findings
    private var keys: [NoteKey] = []
    /// The run at hand, and what those before it were of which no seal was told yet, oldest first. The root is nil
    /// where something was let go: then the signature alone vouches for it.
    private var tree = MerkleTiles()
    private var isWhole = true
    private var runs: [(root: [UInt8]?, after: [UInt8])] = []
    /// What the journal has let go.
    private(set) var empty = PrunedPositions()
    /// What each seal said of its run, which a segment has to say, too, of which something was let go: by its first
    /// position, SHA-256 of chain and root.
    private var seals: [Position: [UInt8]] = [:]
    /// By their first position, files that do not begin with the note that they were sealed with: the journal has to
    /// tell with which one.
    private var replaced: [Position: [UInt8]] = [:]
    /// How many seals hold.
    private(set) var count = 0
    /// The seals that do not hold.
    private var broken = Findings()

    /// What was read last may be explained by what comes next.
    var isWaiting: Bool { broken.isEmpty && (empty.isWaiting || !replaced.isEmpty) }

    /// What is wrong with what the journal has sealed and pruned.
    var flaws: Findings {
        var flaws = broken
        for flaw in empty.flaws(of: feed) { flaws.add(flaw) }
        for first in replaced.keys.sorted() { flaws.add(Self.other(Self.name(from: first))) }
        return flaws
    }

    /// Reads every segment that is there.
    init(of origin: Origin, in home: String) throws {
        feed = origin.description
        let slot = "\(home)/\(origin.service)/\(origin.slot)"
        // Beside the services of a compose stack their folders are their own.
        guard Directory.isDirectory(slot) else {
            folder = nil
            damage = Findings()
            return
        }
        let folder = SegmentDirectory(ofJournal: "\(slot)/\(SQLiteLog.fileName)")
        self.folder = folder
        var damage = Findings()
        // The journal first: it goes on being sealed meanwhile, and names a segment once its file is there.
        let journal = "\(slot)/\(SQLiteLog.fileName)"
        var named: [ClosedRange<Position>] = []
        do throws(LogFailure) {
            if File.exists(journal) { named = try SQLiteReader(path: journal).segments() }
        } catch {
            guard !error.isAway else { throw Refusal("its file cannot be looked at: \(error.message)") }
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

    /// A segment whose every byte holds: its first position, the note it begins with, and its SHA-256.
    private static func read(_ path: String) throws(LogFailure) -> (Position, (note: [UInt8], digest: String)) {
        let segment = try Segment(path: path)
        try segment.verify()
        return (segment.head.positions.lowerBound, (SHA256.hash(segment.note), try digest(of: path)))
    }

    /// The next entry of the journal; gives what that has witnessed, if anything.
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
                empty.explain(pruned, toldAt: entry.position)
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

    /// The next seal: of the oldest run that has none, every entry of which was read before.
    private mutating func check(_ seal: JournalSealed) throws(Flaw) {
        // The next seal is of the next run, whether this one holds or not.
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

    /// What was let go of a run that is sealed: the segment says of the run what it said before.
    private mutating func check(_ pruned: JournalPruned) throws(Flaw) {
        let place = "what was let go of \(pruned.first)–\(pruned.last)"
        guard let note = pruned.note else {
            guard pruned.positions.isEmpty else { throw Flaw("\(place) is signed by nobody") }
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

    /// The file of a seal, read now where it was sealed since the others were; nil where files are not looked at.
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

    /// What is wrong with a seal, in words.
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
