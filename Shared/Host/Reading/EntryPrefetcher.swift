import EventSourcing
import Events
import System

/// Reads a journal and decodes its entries on a thread of its own, while the caller projects the page before.
///
/// Only one thread may call it. At most two pages are read ahead. Used pages are returned to the reading thread to be
/// freed: if one thread allocates events and another frees them, both contend for the same heap, and it may take more
/// than twice the time.
final class EntryPrefetcher {
    /// The events of a range of entries, and the position of the last entry; nil after the end.
    struct Page: Sendable {
        let events: [RecordedEvent]
        let end: Position?
    }

    /// A message from the calling thread to the reading one.
    private enum ReadRequest: Sendable {
        /// Requests a page and returns the one before last, because the caller may still use the last.
        case page(givingBack: Page?)
        case stop
    }

    private let requests: Mailbox<ReadRequest>
    private let pages: Mailbox<Result<Page, any Error>>
    private let worker: Worker
    private var waiting: [Result<Page, any Error>] = []
    private var last: Page?
    private var used: Page?

    private static let pagesAhead = 2

    /// Starts to read from `first` through `last` with the reader that `open` returns on the reading thread.
    init(
        from first: Position, through last: Position, open: @escaping @Sendable () throws -> any LogReader
    ) throws(SystemError) {
        let requests = try Mailbox<ReadRequest>(capacity: Self.pagesAhead + 1)
        let pages = try Mailbox<Result<Page, any Error>>(capacity: Self.pagesAhead + 1)
        self.requests = requests
        self.pages = pages
        worker = try Worker(name: "read ahead") {
            var pending = 0
            /// Waits for the next request; returns false once no more pages are wanted.
            func isWanted() throws -> Bool {
                while pending == 0 {
                    _ = try Poll.wait([requests.descriptor], milliseconds: -1)
                    for request in requests.drain() {
                        guard case .page = request else { return false }
                        pending += 1
                    }
                }
                pending -= 1
                return true
            }
            do {
                let reader = try open()
                var next = first
                while try isWanted() {
                    let entries =
                        next > last
                        ? []
                        : try reader.read(
                            from: next, events: min(HostLimits.eventsAhead, Int(clamping: last - next) + 1),
                            bytes: HostLimits.bytesAhead)
                    var events: [RecordedEvent] = []
                    events.reserveCapacity(entries.count)
                    for entry in entries where !entry.isPruned {
                        events.append(try RecordedEvent(reading: entry.bytes))
                    }
                    _ = pages.push(.success(Page(events: events, end: entries.last?.position)))
                    guard let end = entries.last else { return }
                    next = end.position + 1
                }
            } catch {
                _ = pages.push(.failure(error))
            }
        }
        for _ in 0..<Self.pagesAhead { _ = requests.push(.page(givingBack: nil)) }
    }

    deinit {
        _ = requests.push(.stop)
        worker.join()
    }

    /// Returns the next events in order; an empty page after the end. Throws if the journal cannot be read.
    func next() throws -> Page {
        while waiting.isEmpty {
            _ = try Poll.wait([pages.descriptor], milliseconds: -1)
            waiting = pages.drain()
        }
        let page = try waiting.removeFirst().get()
        _ = requests.push(.page(givingBack: used))
        (used, last) = (last, page)
        return page
    }
}
