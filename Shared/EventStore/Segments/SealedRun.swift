import Crypto
public import EventSourcing
import Vocabulary
import Wire

/// A segment that is on the disk, and what its journal has to say of it.
public struct SealedRun: Sendable {
    public let head: SegmentHead
    /// SHA-256 of the signed note that the file begins with.
    let digest: [UInt8]
    private let note: [UInt8]
    /// SHA-256 of the file.
    private let file: [UInt8]

    init(head: SegmentHead, note: [UInt8], file: [UInt8]) {
        self.head = head
        self.note = note
        digest = SHA256.hash(note)
        self.file = SHA256.hash(file)
    }

    /// The stream of a journal's seals: its version is how many there are.
    public static let stream = "seals"

    /// Writes the run of a journal into its folder, on the disk for good when this returns. Slow: for a worker thread.
    ///
    /// The same run gives the same file: one that was written and not told of, before a crash, is replaced by itself.
    public static func make(
        _ positions: ClosedRange<Position>, reading reader: any LogReader, in folder: SegmentDirectory
    ) throws(LogFailure) -> SealedRun {
        let head = try reader.head()
        guard let before = try reader.hash(at: positions.lowerBound - 1) else {
            throw LogFailure(operation: "seal", message: "\(head.feed) has no chain at \(positions.lowerBound - 1)")
        }
        var making = try SegmentWriter(
            feed: head.feed, epoch: head.epoch, from: positions.lowerBound, after: before)
        var next = positions.lowerBound
        while next <= positions.upperBound {
            let left = Int(clamping: positions.upperBound - next) + 1
            let page = try reader.read(
                from: next, events: min(left, EventLimits.pageEvents), bytes: EventLimits.pageBytes)
            guard !page.isEmpty else {
                throw LogFailure(operation: "seal", message: "\(head.feed) ends at \(next - 1)")
            }
            for entry in page { try making.add(entry) }
            next += Position(page.count)
        }
        let (segment, note, file) = try making.finish(signing: folder.signer(of: head.feed))
        try folder.write(file, positions)
        // What cannot be read back is no seal.
        let written = try Segment(path: folder.file(of: positions))
        try written.verify()
        guard written.head == segment else {
            throw LogFailure(operation: "seal", message: "\(head.feed): what was written reads as something else")
        }
        return SealedRun(head: segment, note: note, file: file)
    }

    /// What the journal tells, in one commit with ``SQLiteLog/drop(_:)``. The key comes first, if it is not known yet.
    public var drafts: [Draft] {
        let service = head.feed.split(separator: "/").first.map(String.init) ?? head.feed
        let key = SealKeyAnnounced(key: head.key.vkey)
        let sealed = JournalSealed(
            first: head.positions.lowerBound, last: head.positions.upperBound, hash: Hex.encode(head.after),
            root: Hex.encode(head.root), file: Hex.encode(file), note: String(decoding: note, as: UTF8.self))
        let place = "\(head.feed)|\(head.positions.upperBound)|\(sealed.hash)"
        return [
            Draft(
                key, in: "seal-key/\(Hex.encode(head.key.id))", id: .named("seal-key|\(key.key)", in: .furrow),
                by: .service(service)),
            Draft(sealed, in: Self.stream, id: .named("seal|\(place)", in: .furrow), by: .service(service)),
        ]
    }
}

extension SealedRun {
    /// The oldest run that is not sealed yet, if all of it and enough behind it is there.
    ///
    /// Runs are equally long, so that the number of seals says how far they reach.
    public static func due(
        in log: any EventLog, events: Int = StoreLimits.sealEvents, keeping: Int = StoreLimits.entriesUnsealed
    ) throws(LogFailure) -> ClosedRange<Position>? {
        let last = Position((try log.version(of: stream) + 1) * events)
        return last + Position(keeping) <= log.head.position ? (last - Position(events) + 1)...last : nil
    }
}
