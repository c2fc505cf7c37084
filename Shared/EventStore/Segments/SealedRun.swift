import Crypto
public import EventSourcing
import Vocabulary
import Wire

/// A segment file that was written, and the events with which its journal records it.
///
/// ```
/// if let run = try SealedRun.due(in: log) {
///     let sealed = try SealedRun.make(run, reading: reader, in: SegmentDirectory(ofJournal: log.path))
///     try log.hand(over: sealed)
///     _ = try log.stage(Commit(sealed.drafts), at: now)
///     try log.commit()
/// }
/// ```
public struct SealedRun: Sendable {
    /// The signed head of the segment.
    public let head: SegmentHead
    /// SHA-256 of the signed note at the start of the file.
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

    /// The stream of a journal's seals; its version is their number.
    public static let stream = "seals"

    /// Writes and fsyncs the segment of a run, then verifies it. It is slow, so call it on a worker thread.
    ///
    /// The same run always gives the same file. A file that was written before a crash and not recorded is overwritten
    /// with identical bytes.
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
        // A segment must be readable before its entries may leave the journal.
        let written = try Segment(path: folder.file(of: positions))
        try written.verify()
        guard written.head == segment else {
            throw LogFailure(operation: "seal", message: "\(head.feed): the written segment has another head")
        }
        return SealedRun(head: segment, note: note, file: file)
    }

    /// The events that record the seal, in one commit with ``SealingLog/hand(over:)``.
    ///
    /// The key's event comes first. Its id is derived from the key, so it is written only once.
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
    /// Returns the oldest run that is due to be sealed, or nil if the journal has too few entries after it.
    ///
    /// All runs have the same length, so the number of seals gives the last sealed position.
    public static func due(
        in log: any EventLog, events: Int = StoreLimits.sealEvents, keeping: Int = StoreLimits.entriesUnsealed
    ) throws(LogFailure) -> ClosedRange<Position>? {
        let last = Position((try log.version(of: stream) + 1) * events)
        return last + Position(keeping) <= log.head.position ? (last - Position(events) + 1)...last : nil
    }
}
