package import EventSourcing

/// The pages of the journals of a feed server. The journals are reopened after a failure.
package struct PageSource {
    /// The entries of one page in the form in which they are sent.
    private struct PageContent {
        /// The position of the first entry; after a hole it is not the next position.
        let first: Position
        let count: Int
        let last: (position: Position, hash: [UInt8])?
        let payload: [UInt8]
        /// The length of the uncompressed payload; nil if it is not compressed.
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

    /// The page after one that a subscriber received: the checkpoint where that one ended, and whether it was
    /// compressed.
    ///
    /// It is read ahead for this subscriber only. Another one, such as an audit, receives what the store contains when
    /// it requests the page.
    private struct Next: Equatable {
        let subscriber: Subscriber
        let feed: String
        let after: Checkpoint
        let isPacked: Bool
    }

    /// The response to a page request.
    package struct Response {
        package let message: Message
        /// The head that the page announces; nil for a rejection.
        let head: Head?
        /// Whether the page reaches that head.
        let isAll: Bool
        let events: Int
    }

    private let open: @Sendable () throws -> [any LogReader]
    private var readers: [String: any LogReader] = [:]
    private var isOpen = false
    private var opensAt: Int64 = .min
    /// Why something could not be read. It is reported for a while, because the subscriber repeats its request.
    package private(set) var failure: LogFailure?
    private var forgetsAt: Int64 = .min
    /// The pages after those that were sent last, which will be requested next.
    private var unfinished: [Next] = []
    private var ahead: [(next: Next, content: PageContent)] = []
    private let packer = PagePacker()

    package init(open: @escaping @Sendable () throws -> [any LogReader]) {
        self.open = open
    }

    /// Opens the journals if they are closed; returns false while that fails.
    package mutating func ready(at now: Int64) -> Bool {
        guard !isOpen, opensAt <= now else { return isOpen }
        do {
            var readers: [String: any LogReader] = [:]
            for reader in try open().prefix(BusLimits.feeds) { readers[try reader.head().feed] = reader }
            self.readers = readers
            isOpen = true
            if forgetsAt <= now { failure = nil }
        } catch {
            // The closure may throw any error.
            fail(error as? LogFailure ?? LogFailure(operation: "open", message: "\(error)"), at: now)
            // The next successful opening clears this failure.
            forgetsAt = now
        }
        return isOpen
    }

    /// Returns the heads of all journals, sorted by name; empty while they cannot be read.
    package mutating func heads(at now: Int64) -> [Head] {
        guard ready(at: now) else { return [] }
        if forgetsAt <= now { failure = nil }
        var heads: [Head] = []
        do throws(LogFailure) {
            for (_, reader) in readers.sorted(by: { $0.key < $1.key }) { heads.append(try reader.head()) }
        } catch { fail(error, at: now) }
        return heads
    }

    /// Returns a page, or a rejection.
    ///
    /// - Parameter most: the most events that a page may have if it still has to be read.
    package mutating func answer(
        _ asked: PageRequest, request: UInt64, from subscriber: Subscriber, at now: Int64,
        events most: Int = EventLimits.pageEvents
    ) -> Response {
        guard ready(at: now) else { return refusal(asked, request, .busy) }
        guard let reader = readers[asked.feed] else { return refusal(asked, request, .unknownFeed) }
        do throws(LogFailure) {
            let head = try reader.head()
            if let after = asked.after {
                // A page read ahead is invalid if the journal has begun another epoch or ends before it.
                let next = Next(
                    subscriber: subscriber, feed: asked.feed, after: after, isPacked: asked.unpacks)
                if let content = takeAhead(next), after.epoch == head.epoch, let last = content.last,
                    last.position <= head.position
                {
                    return try page(asked, request, subscriber, reader, head, content)
                }
                if let reason = try Self.objection(to: after, reader, head) {
                    return refusal(asked, request, reason, head)
                }
            }
            return try page(
                asked, request, subscriber, reader, head,
                content(after: asked.after?.position ?? 0, reader, head, events: most, isPacked: asked.unpacks))
        } catch {
            fail(error, at: now)
            return refusal(asked, request, .busy)
        }
    }

    /// Returns why the journal does not continue from a checkpoint, or nil if it does.
    ///
    /// The chain covers everything up to a position. So a subscriber with an earlier epoch and the same hash has read
    /// nothing that the journal has lost: the histories differ only after that position, where this one has
    /// `EpochBegan`.
    private static func objection(
        to after: Checkpoint, _ reader: any LogReader, _ head: Head
    ) throws(LogFailure) -> PageRejection.Reason? {
        // A position of a peer may be any number, so it is compared with the head first.
        let kept = after.position <= head.position ? try reader.hash(at: after.position) : nil
        if kept == after.hash { return nil }
        if after.epoch != head.epoch { return .unknownEpoch }
        return after.position > head.position ? .beyondHead : .diverged
    }

    /// Returns the entries after a position.
    private func content(
        after position: Position, _ reader: any LogReader, _ head: Head, events most: Int, isPacked: Bool
    ) throws(LogFailure) -> PageContent {
        let next = position + 1
        let left = Int(clamping: head.position - min(position, head.position))
        let entries = left == 0 ? PackedEntries() : try reader.pack(from: next, events: min(left, most))
        let packed = isPacked ? packer.pack(entries.bytes) : nil
        return PageContent(
            first: entries.first ?? next, count: entries.count, last: entries.last, payload: packed ?? entries.bytes,
            unpacked: packed == nil ? nil : entries.bytes.count)
    }

    private mutating func page(
        _ asked: PageRequest, _ request: UInt64, _ subscriber: Subscriber, _ reader: any LogReader, _ head: Head,
        _ content: PageContent
    ) throws(LogFailure) -> Response {
        let next = (asked.after?.position ?? 0) + 1
        var head = head
        if let last = content.last, last.position > head.position {
            // If a journal has lost an entry in its middle, the read may return entries that were written after `head`
            // was read.
            head = Head(feed: head.feed, epoch: head.epoch, position: last.position, hash: last.hash)
        }
        let isAll = content.last.map { $0.position == head.position } ?? true
        if !isAll, let last = content.last, unfinished.count < BusLimits.pagesAhead {
            let end = Checkpoint(epoch: head.epoch, position: last.position, hash: last.hash)
            unfinished.append(
                Next(subscriber: subscriber, feed: head.feed, after: end, isPacked: asked.unpacks))
        }
        let header = PageHeader(
            head: head, first: content.first, count: content.count, start: next == 1 ? try reader.hash(at: 0) : nil,
            unpacked: content.unpacked)
        let message = Message(.page, request: request, header: header.header, payload: content.payload)
        return Response(message: message, head: head, isAll: isAll, events: content.count)
    }

    private func refusal(
        _ asked: PageRequest, _ request: UInt64, _ reason: PageRejection.Reason, _ head: Head? = nil
    ) -> Response {
        let header = PageRejection(feed: asked.feed, reason: reason, head: head).header
        return Response(
            message: Message(.refused, request: request, header: header), head: nil, isAll: false, events: 0)
    }

    /// Reads the pages that will be requested next, while subscribers process the present ones.
    package mutating func readAhead(at now: Int64, events most: Int = EventLimits.pageEvents) {
        for next in unfinished {
            guard let reader = readers[next.feed] else { continue }
            do throws(LogFailure) {
                let content = try content(
                    after: next.after.position, reader, try reader.head(), events: most, isPacked: next.isPacked)
                guard content.count > 0 else { continue }
                if ahead.count == BusLimits.pagesAhead { ahead.removeFirst() }
                ahead.append((next, content))
            } catch {
                fail(error, at: now)
                break
            }
        }
        unfinished = []
    }

    /// Discards pages read ahead that were not requested soon.
    package mutating func forgetAhead() {
        ahead = []
    }

    private mutating func takeAhead(_ next: Next) -> PageContent? {
        guard let place = ahead.firstIndex(where: { $0.next == next }) else { return nil }
        return ahead.remove(at: place).content
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
