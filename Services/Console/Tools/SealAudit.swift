import Crypto
import EventSourcing
import EventStore
import System
import Vocabulary
import Wire

/// Holds the seals that a journal tells of against its events, and against the segments' files where they lie in this
/// home.
struct SealAudit {
    private let feed: String
    private let folder: SegmentFolder?
    /// What every file has to be: the note it begins with and its SHA-256, by its first position.
    private var files: [Position: (note: [UInt8], digest: String)] = [:]
    /// The first file that is not what it was sealed as.
    let damage: String?

    /// Reads every segment that is there.
    init(of origin: Origin, in home: String) throws {
        feed = origin.description
        let slot = "\(home)/\(origin.service)/\(origin.slot)"
        // Beside the services of a compose stack their folders are their own.
        guard Directory.isDirectory(slot) else {
            folder = nil
            damage = nil
            return
        }
        let folder = SegmentFolder(ofJournal: "\(slot)/\(SQLiteLog.fileName)")
        self.folder = folder
        var damage: String?
        // The journal first: it goes on being sealed meanwhile, and names a segment once its file is there.
        let journal = "\(slot)/\(SQLiteLog.fileName)"
        let named = File.exists(journal) ? try SQLiteReader(path: journal).segments() : []
        for name in try folder.names() {
            do throws(LogFailure) {
                let (first, file) = try Self.read("\(folder.path)/\(name)")
                files[first] = file
            } catch {
                damage = damage ?? "segment \(name): \(error.message)"
            }
        }
        for positions in named where files[positions.lowerBound] == nil {
            damage = damage ?? "segment \(SegmentFolder.name(of: positions)) is not in its folder"
        }
        self.damage = damage
    }

    /// A segment whose every byte holds: its first position, the note it begins with, and its SHA-256.
    private static func read(_ path: String) throws(LogFailure) -> (Position, (note: [UInt8], digest: String)) {
        let segment = try Segment(path: path)
        try segment.verify()
        return (segment.head.positions.lowerBound, (segment.note, try digest(of: path)))
    }

    /// How many seals hold, and what the journal has witnessed; throws what the first seal that doesn't hold is about.
    func check(_ entries: [Entry]) throws(Flaw) -> (seals: Int, witnessed: [CheckpointWitnessed]) {
        var witnessed: [CheckpointWitnessed] = []
        var keys: [NoteKey] = []
        var sealed: Position = 0
        var count = 0
        for entry in entries {
            switch try Self.fact(entry) {
            case .sealKeyAnnounced(let announced):
                guard let key = NoteKey(vkey: announced.key), key.name == feed else {
                    throw Flaw("the seal key announced at \(entry.position) is none of \(feed)")
                }
                keys.append(key)
            case .sealed(let seal):
                try check(seal, told: entry.position, after: sealed, entries, keys)
                sealed = seal.last
                count += 1
            case .checkpointWitnessed(let checkpoint): witnessed.append(checkpoint)
            default: continue
            }
        }
        return (count, witnessed)
    }

    private func check(
        _ seal: JournalSealed, told position: Position, after sealed: Position, _ entries: [Entry], _ keys: [NoteKey]
    ) throws(Flaw) {
        let place = "the seal of \(seal.first)–\(seal.last)"
        let head: SegmentHead
        do throws(LogFailure) {
            head = try SegmentHead(note: Array(seal.note.utf8))
        } catch {
            throw Flaw("\(place): \(error.message)")
        }
        guard keys.contains(head.key) else { throw Flaw("\(place) is signed by a key that was never announced") }
        guard head.feed == feed, head.positions.lowerBound == seal.first, head.positions.upperBound == seal.last,
            seal.first == sealed + 1, seal.last < position, Hex.encode(head.after) == seal.hash,
            Hex.encode(head.root) == seal.root
        else { throw Flaw("\(place) is of other positions or another journal") }
        let run = entries[Int(seal.first - 1)..<Int(seal.last)]
        guard run.last?.hash == head.after else { throw Flaw("\(place) has another chain than the journal") }
        var tree = MerkleTiles()
        for entry in run { tree.append(leaf: MerkleTree.leaf(entry.bytes)) }
        guard tree.root == head.root else { throw Flaw("\(place) has another Merkle root than the journal") }
        guard let file = try file(of: head.positions) else { return }
        guard file.note == Array(seal.note.utf8), file.digest == seal.file else {
            throw Flaw("segment \(SegmentFolder.name(of: head.positions)) is not the one that the journal sealed")
        }
    }

    /// The file of a seal, read now where it was sealed since the others were; nil where files are not looked at.
    private func file(of positions: ClosedRange<Position>) throws(Flaw) -> (note: [UInt8], digest: String)? {
        guard let folder else { return nil }
        if let known = files[positions.lowerBound] { return known }
        let name = SegmentFolder.name(of: positions)
        guard File.exists("\(folder.path)/\(name)") else { throw Flaw("segment \(name) is not in its folder") }
        do throws(LogFailure) {
            return try Self.read("\(folder.path)/\(name)").1
        } catch {
            throw Flaw("segment \(name): \(error.message)")
        }
    }

    /// What is wrong with a seal, in words.
    struct Flaw: Error {
        let sentence: String

        init(_ sentence: String) {
            self.sentence = sentence
        }
    }

    private static func fact(_ entry: Entry) throws(Flaw) -> JournalFact? {
        do {
            let (envelope, json) = try EnvelopeCodec.read(entry.bytes)
            return try JournalFact(name: envelope.name, json: json)
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
