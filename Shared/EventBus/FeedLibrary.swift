package import EventSourcing

/// The journals that a feed server reads, opened again when they fail.
package struct FeedLibrary {
    private let open: @Sendable () throws -> [any LogReader]
    private var readers: [String: any LogReader] = [:]
    private var isOpen = false
    private var opensAt: Int64 = .min
    package private(set) var failure: LogFailure?

    package init(open: @escaping @Sendable () throws -> [any LogReader]) {
        self.open = open
    }

    /// Opens the journals if they are not; false while that fails.
    package mutating func ready(at now: Int64) -> Bool {
        guard !isOpen, opensAt <= now else { return isOpen }
        do {
            var readers: [String: any LogReader] = [:]
            for reader in try open().prefix(BusLimits.feeds) { readers[try reader.head().feed] = reader }
            self.readers = readers
            isOpen = true
            failure = nil
        } catch {
            // Whoever opens may fail in ways of its own.
            fail(error as? LogFailure ?? LogFailure(operation: "open", message: "\(error)"), at: now)
        }
        return isOpen
    }

    /// The heads of all journals, by name; empty while they cannot be read.
    package mutating func heads(at now: Int64) -> [Head] {
        guard ready(at: now) else { return [] }
        var heads: [Head] = []
        do throws(LogFailure) {
            for (_, reader) in readers.sorted(by: { $0.key < $1.key }) { heads.append(try reader.head()) }
        } catch { fail(error, at: now) }
        return heads
    }

    /// What a question is answered with: a page and the head it tells, or a refusal.
    package mutating func answer(_ asked: PageAsked, request: UInt64, at now: Int64) -> (message: Message, head: Head?)
    {
        guard ready(at: now) else { return refusal(asked, request, .busy) }
        guard let reader = readers[asked.feed] else { return refusal(asked, request, .unknownFeed) }
        do throws(LogFailure) {
            let head = try reader.head()
            if let after = asked.after, let reason = try Self.objection(to: after, reader, head) {
                return refusal(asked, request, reason, head)
            }
            return try page(asked, request, reader, head)
        } catch {
            fail(error, at: now)
            return refusal(asked, request, .busy)
        }
    }

    /// Why this journal does not go on from there; nil if it does.
    ///
    /// The chain covers everything up to a position. So a reader of an earlier epoch who holds the same hash stands at
    /// or before the position up to which that epoch was kept: behind it lies `EpochBegan` here and something else
    /// there.
    private static func objection(
        to after: Checkpoint, _ reader: any LogReader, _ head: Head
    ) throws(LogFailure) -> PageRefused.Reason? {
        // A position from outside may be any number; a journal is asked only for what it can have.
        let kept = after.position <= head.position ? try reader.hash(at: after.position) : nil
        if kept == after.hash { return nil }
        if after.epoch != head.epoch { return .unknownEpoch }
        return after.position > head.position ? .beyondHead : .diverged
    }

    private func page(
        _ asked: PageAsked, _ request: UInt64, _ reader: any LogReader, _ head: Head
    ) throws(LogFailure) -> (message: Message, head: Head?) {
        let next = (asked.after?.position ?? 0) + 1
        let entries = PagePayload.fitting(
            next > head.position
                ? [] : try reader.read(from: next, events: Limits.pageEvents, bytes: Limits.pageBytes))
        var head = head
        if let last = entries.last, last.position > head.position {
            // Written since the head was read.
            head = Head(feed: head.feed, epoch: head.epoch, position: last.position, hash: last.hash)
        }
        let header = PageHeader(
            head: head, first: entries.first?.position ?? next, count: entries.count,
            start: next == 1 ? try reader.hash(at: 0) : nil)
        return (Message(.page, request: request, header: header.header, payload: PagePayload.write(entries)), head)
    }

    private func refusal(
        _ asked: PageAsked, _ request: UInt64, _ reason: PageRefused.Reason, _ head: Head? = nil
    ) -> (message: Message, head: Head?) {
        let header = PageRefused(feed: asked.feed, reason: reason, head: head).header
        return (Message(.refused, request: request, header: header), nil)
    }

    private mutating func fail(_ failure: LogFailure, at now: Int64) {
        readers = [:]
        isOpen = false
        opensAt = now + Pace.reopening
        self.failure = failure
    }
}
