import Crypto
public import EventSourcing
public import Vocabulary
import Wire

/// The pruned version of a sealed segment, not swapped in yet, and the event with which its journal records it.
public struct PrunedRun: Sendable {
    /// The positions of the segment.
    public let positions: ClosedRange<Position>
    let feed: String
    /// The signed note of the pruned file; nil if nothing is pruned.
    private let note: [UInt8]?
    /// SHA-256 of the sealed segment's note.
    let sealedDigest: [UInt8]
    /// SHA-256 of the note after the prune.
    let digest: [UInt8]
    /// The chain hash at the run's end.
    private let hash: [UInt8]
    private let pruned: JournalPruned
    /// What the entries said before the prune.
    private let contents: SegmentContents

    /// The stream in which a journal records its prunes.
    public static let stream = "prunings"

    /// Whether a pruned file was written that replaces the sealed one.
    var hasFile: Bool { note != nil }

    /// Writes and fsyncs the pruned version of a sealed segment, then verifies it. It is slow, so call it on a worker
    /// thread.
    ///
    /// - Parameter age: returns the time of an event that is to be pruned, or nil for one that is retained.
    public static func make(
        _ positions: ClosedRange<Position>, in folder: SegmentDirectory, keeping kept: [RetainedInterval],
        lettingGo age: (Entry) throws(LogFailure) -> Instant?
    ) throws(LogFailure) -> PrunedRun {
        let sealed = try Segment(path: folder.file(of: positions))
        guard !sealed.head.isPruned else {
            throw LogFailure(operation: "prune", message: "\(positions) of \(sealed.head.feed) was pruned already")
        }
        var making = try SegmentWriter(pruning: sealed.head)
        var gone: [(position: Position, at: Instant)] = []
        for block in sealed.head.blocks.indices {
            for entry in try sealed.entries(inBlock: block) {
                if let at = try age(entry) {
                    gone.append((entry.position, at))
                    try making.add(Entry(position: entry.position, hash: entry.hash, bytes: []))
                } else {
                    try making.add(entry)
                }
            }
        }
        var note: [UInt8]?
        if !gone.isEmpty { note = try write(&making, in: folder) }
        return try PrunedRun(sealed, note: note, gone, keeping: kept)
    }

    private static func write(
        _ making: inout SegmentWriter, in folder: SegmentDirectory
    ) throws(LogFailure) -> [UInt8] {
        let (head, note, file) = try making.finish(signing: folder.signer(of: making.feed))
        try folder.write(pruned: file, head.positions)
        let written = try Segment(path: folder.prunedFile(of: head.positions))
        try written.verify()
        guard written.head == head else {
            throw LogFailure(operation: "prune", message: "\(head.feed): the written segment has another head")
        }
        return note
    }

    private init(
        _ sealed: Segment, note: [UInt8]?, _ gone: [(position: Position, at: Instant)], keeping kept: [RetainedInterval]
    ) throws(LogFailure) {
        positions = sealed.head.positions
        feed = sealed.head.feed
        self.note = note
        sealedDigest = SHA256.hash(sealed.note)
        digest = SHA256.hash(note ?? sealed.note)
        hash = sealed.head.after
        contents = try SegmentContents(of: sealed)
        pruned = JournalPruned(
            first: positions.lowerBound, last: positions.upperBound, positions: gone.map(\.position),
            from: gone.map(\.at).min(), to: gone.map(\.at).max(), kept: kept,
            note: note.map { String(decoding: $0, as: UTF8.self) })
    }

    /// The number of pruned events.
    public var count: Int { pruned.positions.count }

    /// The event that records the prune, in one commit with ``SealingLog/prune(_:)``.
    public var drafts: [Draft] {
        let service = feed.split(separator: "/").first.map(String.init) ?? feed
        return [Draft(pruned, in: Self.stream, id: id, by: .service(service))]
    }

    /// The id of that event.
    var id: UUID { .named("pruned|\(feed)|\(positions.upperBound)|\(Hex.encode(hash))", in: .furrow) }

    /// Returns the segment for a replicated log, with its file as it is in `folder`.
    func replicated(in folder: SegmentDirectory) throws(LogFailure) -> ReplicatedSegment {
        ReplicatedSegment(
            ids: contents.ids.compactMap { $0 },
            streams: contents.versions.map { .init(stream: $0.key, version: $0.value) }, file: try folder.read(self))
    }

    /// Returns the last position of the segments that a journal has pruned, or examined, given the version of
    /// ``stream``: they are examined in order, and each is recorded.
    static func end(version: Int) -> Position { Position(version * StoreLimits.sealEvents) }
}
