package import EventSourcing

/// The journals that a feed server reads, opened again when they fail.
package struct PageSource {
    /// The entries of one page as they travel.
    private struct Leaf {
        /// Behind a hole it is not the next one.
        let first: Position
        let count: Int
        let last: (position: Position, hash: [UInt8])?
        let payload: [UInt8]
        /// The length of a packed payload before.
        let unpacked: Int?
    }

    /// One connection of a subscriber: the socket it came on and its routing id there.
    package struct Subscriber: Hashable {
        let line: Int
        let peer: [UInt8]

        package init(line: Int, peer: [UInt8]) {
            self.line = line
            self.peer = peer
        }
    }

    /// The page behind one that a subscriber was given: where that one ended, and how it travelled.
    ///
    /// It belongs to that subscriber alone. Another one, an audit perhaps, gets what the store holds when it asks.
    private struct Next: Equatable {
        let subscriber: Subscriber
        let feed: String
        let after: Checkpoint
        let isPacked: Bool
    }

    /// What a question is answered with.
    package struct Response {
        package let message: Message
        /// The head that a page tells; nil for a refusal.
        let head: Head?
        /// Whether the page goes up to that head.
        let isAll: Bool
        let events: Int
    }

    private let open: @Sendable () throws -> [any LogReader]
    private var readers: [String: any LogReader] = [:]
    private var isOpen = false
    private var opensAt: Int64 = .min
    /// Why something could not be read; kept a while, for whoever could not be served asks again and again.
    package private(set) var failure: LogFailure?
    private var forgetsAt: Int64 = .min
    /// What follows the pages that were given last: more is there behind them, and will be asked for.
    private var unfinished: [Next] = []
    private var ahead: [(next: Next, leaf: Leaf)] = []
    private let packer = PagePacker()

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
            if forgetsAt <= now { failure = nil }
        } catch {
            // Whoever opens may fail in ways of its own.
            fail(error as? LogFailure ?? LogFailure(operation: "open", message: "\(error)"), at: now)
            // Opened is mended.
            forgetsAt = now
        }
        return isOpen
    }

    /// The heads of all journals, by name; empty while they cannot be read.
    package mutating func heads(at now: Int64) -> [Head] {
        guard ready(at: now) else { return [] }
        if forgetsAt <= now { failure = nil }
        var heads: [Head] = []
        do throws(LogFailure) {
            for (_, reader) in readers.sorted(by: { $0.key < $1.key }) { heads.append(try reader.head()) }
        } catch { fail(error, at: now) }
        return heads
    }

    /// A page, or a refusal.
    ///
    /// - Parameter most: how many events a page that has still to be read may hold.
    package mutating func answer(
        _ asked: PageRequest, request: UInt64, from subscriber: Subscriber, at now: Int64,
        events most: Int = EventLimits.pageEvents
    ) -> Response {
        guard ready(at: now) else { return refusal(asked, request, .busy) }
        guard let reader = readers[asked.feed] else { return refusal(asked, request, .unknownFeed) }
        do throws(LogFailure) {
            let head = try reader.head()
            if let after = asked.after {
                // A journal that begins another epoch, or ends before what was read, is no longer what it was then.
                let next = Next(
                    subscriber: subscriber, feed: asked.feed, after: after, isPacked: asked.unpacks)
                if let leaf = takeAhead(next), after.epoch == head.epoch, let last = leaf.last,
                    last.position <= head.position
                {
                    return try page(asked, request, subscriber, reader, head, leaf)
                }
                if let reason = try Self.objection(to: after, reader, head) {
                    return refusal(asked, request, reason, head)
                }
            }
            return try page(
                asked, request, subscriber, reader, head,
                leaf(after: asked.after?.position ?? 0, reader, head, events: most, isPacked: asked.unpacks))
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
    ) throws(LogFailure) -> PageRejection.Reason? {
        // A position from outside may be any number; a journal is asked only for what it can have.
        let kept = after.position <= head.position ? try reader.hash(at: after.position) : nil
        if kept == after.hash { return nil }
        if after.epoch != head.epoch { return .unknownEpoch }
        return after.position > head.position ? .beyondHead : .diverged
    }

    /// What a page tells behind this position.
    private func leaf(
        after position: Position, _ reader: any LogReader, _ head: Head, events most: Int, isPacked: Bool
    ) throws(LogFailure) -> Leaf {
        let next = position + 1
        let left = Int(clamping: head.position - min(position, head.position))
        let entries = left == 0 ? PackedEntries() : try reader.pack(from: next, events: min(left, most))
        let packed = isPacked ? packer.pack(entries.bytes) : nil
        return Leaf(
            first: entries.first ?? next, count: entries.count, last: entries.last, payload: packed ?? entries.bytes,
            unpacked: packed == nil ? nil : entries.bytes.count)
    }

    private mutating func page(
        _ asked: PageRequest, _ request: UInt64, _ subscriber: Subscriber, _ reader: any LogReader, _ head: Head,
        _ leaf: Leaf
    ) throws(LogFailure) -> Response {
        let next = (asked.after?.position ?? 0) + 1
        var head = head
        if let last = leaf.last, last.position > head.position {
            // A journal that lost a place in its middle gives what is behind it; that may be written since.
            head = Head(feed: head.feed, epoch: head.epoch, position: last.position, hash: last.hash)
        }
        let isAll = leaf.last.map { $0.position == head.position } ?? true
        if !isAll, let last = leaf.last, unfinished.count < BusLimits.pagesAhead {
            let end = Checkpoint(epoch: head.epoch, position: last.position, hash: last.hash)
            unfinished.append(
                Next(subscriber: subscriber, feed: head.feed, after: end, isPacked: asked.unpacks))
        }
        let header = PageHeader(
            head: head, first: leaf.first, count: leaf.count, start: next == 1 ? try reader.hash(at: 0) : nil,
            unpacked: leaf.unpacked)
        let message = Message(.page, request: request, header: header.header, payload: leaf.payload)
        return Response(message: message, head: head, isAll: isAll, events: leaf.count)
    }

    private func refusal(
        _ asked: PageRequest, _ request: UInt64, _ reason: PageRejection.Reason, _ head: Head? = nil
    ) -> Response {
        let header = PageRejection(feed: asked.feed, reason: reason, head: head).header
        return Response(
            message: Message(.refused, request: request, header: header), head: nil, isAll: false, events: 0)
    }

    /// Reads what will be asked for next, while whoever was given a page looks at it.
    package mutating func readAhead(at now: Int64, events most: Int = EventLimits.pageEvents) {
        for next in unfinished {
            guard let reader = readers[next.feed] else { continue }
            do throws(LogFailure) {
                let leaf = try leaf(
                    after: next.after.position, reader, try reader.head(), events: most, isPacked: next.isPacked)
                guard leaf.count > 0 else { continue }
                if ahead.count == BusLimits.pagesAhead { ahead.removeFirst() }
                ahead.append((next, leaf))
            } catch {
                fail(error, at: now)
                break
            }
        }
        unfinished = []
    }

    /// Whoever does not come for it soon has it read anew.
    package mutating func forgetAhead() {
        ahead = []
    }

    private mutating func takeAhead(_ next: Next) -> Leaf? {
        guard let place = ahead.firstIndex(where: { $0.next == next }) else { return nil }
        return ahead.remove(at: place).leaf
    }

    private mutating func fail(_ failure: LogFailure, at now: Int64) {
        readers = [:]
        (unfinished, ahead) = ([], [])
        isOpen = false
        opensAt = now + BusTiming.reopening
        self.failure = failure
        forgetsAt = now + BusTiming.forgetting
    }
}
