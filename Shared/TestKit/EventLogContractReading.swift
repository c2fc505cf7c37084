import EventSourcing
import Synchronization
import Vocabulary
import Wire

extension EventLogContract {
    @Sendable static func reopens(_ harness: EventLogHarness) throws {
        var log = try harness.create(clock)
        for round in 1...5 {
            for number in 1...20 { try stage([draft(number, in: "note/\(number % 4)")], in: log) }
            try log.commit()
            let (head, epoch) = (log.head, log.head.epoch)
            log = try harness.crash(log, clock)
            try require(log.head, equals: head, "the head after a crash")
            try require(log.head.epoch, equals: epoch, "the epoch after a crash")
            for stream in 0..<4 {
                try require(try log.version(of: "note/\(stream)"), equals: 5 * round, "a version after a crash")
            }
        }
        try require(try audit(try log.reader()).count, equals: 101, "events read")
    }

    @Sendable static func hides(_ harness: EventLogHarness) throws {
        let log = try harness.create(clock)
        let reader = try log.reader()
        let before = try reader.head()
        let id = UUID.named("hidden", in: .furrow)
        try stage([draft(1, id: id), draft(2)], in: log)
        for reader in [reader, try log.reader()] {
            try require(try reader.head(), equals: before, "the head before the commit")
            try require(try reader.read(from: 2, events: 10, bytes: 1 << 20), equals: [], "entries before the commit")
            try require(try reader.position(of: id) == nil, "an id before the commit")
            try require(try reader.hash(at: 2) == nil, "a hash before the commit")
        }
        try log.commit()
        try require(try reader.head(), equals: log.head, "the head after the commit")
        try require(try reader.read(from: 2, events: 10, bytes: 1 << 20).count, equals: 2, "entries after the commit")
        try require(try reader.position(of: id), equals: 2, "an id after the commit")
    }

    @Sendable static func forgets(_ harness: EventLogHarness) throws {
        var log = try harness.create(clock)
        let id = UUID.named("lost", in: .furrow)
        let key = IdempotencyKey(actor: "person/p", key: "k", digest: [1])
        try stage([draft(1)], in: log)
        try log.commit()
        let committed = log.head
        // Large enough that an implementation may have started to write it.
        for number in 1...120 {
            try stage([draft(number, in: "note/\(number)", text: String(repeating: "x", count: 60_000))], in: log)
        }
        let lost = Commit([draft(2, id: id)], answer: (key, Response(status: 201, body: [])))
        _ = try log.stage(lost, at: clock)
        log = try harness.crash(log, clock)
        try require(log.head, equals: committed, "the head after a crash")
        try require(try log.version(of: "note/a"), equals: 1, "a version after a crash")
        try require(try log.version(of: "note/7"), equals: 0, "the version of a lost stream")
        try require(try log.recall(key), equals: .unknown, "the answer that was lost")
        try require(try audit(try log.reader()).count, equals: 2, "events read")
        let again = try log.stage(lost, at: clock)
        guard case .written(let entry, _)? = again.first else { throw ContractBreach("a lost id is still known") }
        try require(entry.position, equals: 3, "the position after a crash")
        try log.commit()
        try audit(try log.reader())
    }

    @Sendable static func ordersTime(_ harness: EventLogHarness) throws {
        var log = try harness.create(clock)
        var last = clock
        for (index, step) in [10.0, -3600, 5, -1e6, 0, 0, 4000, -1].enumerated() {
            if index == 5 { log = try harness.crash(log, clock) }
            let now = clock.advanced(bySeconds: step)
            for entry in try stage([draft(1), draft(2)], in: log, at: now) {
                let envelope = try EnvelopeCodec.read(entry.bytes).envelope
                let expected = max(now, Instant(microseconds: last.microseconds + 1))
                // The first event of the log was recorded at the clock's time, or a little later.
                try require(envelope.recorded, equals: expected, "recorded after a step of \(step) s")
                last = envelope.recorded
            }
            try log.commit()
        }
        try audit(try log.reader())
    }

    @Sendable static func pages(_ harness: EventLogHarness) throws {
        let log = try harness.create(clock)
        for number in 1...1_200 {
            try stage([draft(number, text: String(repeating: "y", count: number % 50))], in: log)
        }
        try log.commit()
        let reader = try log.reader()
        let thousand = try reader.read(from: 101, events: 1_000, bytes: 1 << 30)
        try require(thousand.map(\.position), equals: Array(101...1_100), "a page of 1,000 events")
        try require(try reader.read(from: 0, events: 2, bytes: 1 << 20).map(\.position), equals: [1, 2], "from 0")
        try require(try reader.read(from: 1_199, events: 50, bytes: 1 << 20).count, equals: 3, "a page at the end")
        try require(try reader.read(from: 1_202, events: 50, bytes: 1 << 20), equals: [], "a page beyond the end")
        try require(try reader.read(from: .max, events: 50, bytes: 1 << 20), equals: [], "a page far beyond the end")
        try require(try reader.read(from: 5, events: 50, bytes: 1).map(\.position), equals: [5], "a page of one byte")
        try require(try reader.read(from: 5, events: 0, bytes: 1 << 20), equals: [], "a page of no events")
        let small = try reader.read(from: 10, events: 500, bytes: 10_000)
        let bytes = small.reduce(0) { $0 + $1.bytes.count }
        try require(bytes >= 9_000 && bytes < 12_000, "a page of 10,000 bytes has \(bytes)")
        for position: Position in [0, 1, 101, 700, 1_199, 1_201, 1_202, .max] {
            let packed = try reader.pack(from: position, events: EventLimits.pageEvents)
            let whole = try reader.read(from: position, events: EventLimits.pageEvents, bytes: EventLimits.pageBytes)
            try require(packed.bytes, equals: PackedEntries(whole).bytes, "what is packed from \(position)")
            try require(packed.first, equals: whole.first?.position, "the first that is packed from \(position)")
        }
    }

    @Sendable static func bounds(_ harness: EventLogHarness) throws {
        let log = try harness.create(clock)
        let bare = try stage([draft(1)], in: log)[0].bytes.count
        // Position and version have the same number of digits: both are below 10.
        let room = EventLimits.eventBytes - bare
        let full = try stage([draft(1, text: String(repeating: "z", count: room))], in: log)
        try require(full.first?.bytes.count ?? 0, equals: EventLimits.eventBytes, "the largest event")
        let refused = try refusal(of: Commit([draft(1, text: String(repeating: "z", count: room + 1))]), in: log)
        try require(
            refused, equals: .tooLarge(stream: "note/a", bytes: EventLimits.eventBytes + 1), "an event a byte too large"
        )
        let many = (0...EventLimits.decisionEvents).map { draft($0) }
        guard case .tooLarge = try refusal(of: Commit(many), in: log) else {
            throw ContractBreach("a commit of \(many.count) events was not too large")
        }
        try require(
            try stage(Array(many.dropLast()), in: log).count, equals: EventLimits.decisionEvents, "events written")
        try log.commit()
        let reader = try log.reader()
        try require(try reader.read(from: full[0].position, events: 1, bytes: 1), equals: full, "the largest event")
        try audit(reader)
    }

    @Sendable static func distinguishes(_ harness: EventLogHarness) throws {
        var log = try harness.create(clock)
        let streams = ["note/\u{E9}", "note/e\u{301}", "note/E", "note/e", "note/e ", "note/'; DROP TABLE entry; --"]
        for (index, stream) in streams.enumerated() {
            for number in 0...index { try stage([draft(number, in: stream)], in: log) }
            if index == 2 { try log.commit() }
        }
        try log.commit()
        for _ in 0..<2 {
            for (index, stream) in streams.enumerated() {
                try require(try log.version(of: stream), equals: index + 1, "the version of \(stream)")
            }
            log = try harness.crash(log, clock)
        }
        try audit(try log.reader())
    }

    @Sendable static func concurs(_ harness: EventLogHarness) async throws {
        let log = try harness.create(clock)
        let open = try harness.readers(log)
        let target = Position(2_001)
        // The committed position, which a reader must see at least.
        let committed = Atomic<UInt64>(1)
        let shared = Shared(committed)
        let reading = Task.detached {
            let reader = try open()
            var hash = try reader.hash(at: 0) ?? []
            var position: Position = 0
            while position < target {
                let floor = shared.committed.load(ordering: .acquiring)
                let head = try reader.head()
                try require(head.position >= floor, "the reader is behind what was committed")
                let page = try reader.read(from: position + 1, events: 97, bytes: 1 << 20)
                let broken = Chain.firstBreak(in: page, after: hash, at: position)
                try require(broken == nil, "the chain is broken at \(broken ?? 0)")
                hash = page.last?.hash ?? hash
                position = page.last?.position ?? position
                try Task.checkCancellation()
                await Task.yield()
            }
        }
        do {
            while log.head.position < target {
                try stage([draft(1), draft(2, in: "note/b")], in: log)
                if log.head.position % 8 == 1 {
                    try log.commit()
                    shared.committed.store(log.head.position, ordering: .releasing)
                }
            }
            try log.commit()
        } catch {
            reading.cancel()
            throw error
        }
        try await reading.value
    }

    /// An atomic counter shared by two threads.
    private final class Shared: Sendable {
        let committed: Atomic<UInt64>

        init(_ committed: consuming Atomic<UInt64>) {
            self.committed = committed
        }
    }
}
