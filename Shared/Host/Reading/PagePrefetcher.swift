public import EventSourcing

/// Returns the entries that successive checkpoint events name, from a reader that reads whole pages.
public final class PagePrefetcher {
    private let reader: any LogReader
    private var page: ArraySlice<Entry> = []

    /// Creates a prefetcher that verifies the chain of what `reader` returns.
    public init(_ reader: any LogReader) {
        self.reader = VerifyingReader(reader)
    }

    /// Returns the first entries after a checkpoint, none after `last`. Throws if they are missing or are not what was
    /// consumed.
    public func entries(after checkpoint: Checkpoint?, through last: Checkpoint) throws -> [Entry] {
        let next = (checkpoint?.position ?? 0) + 1
        if page.first?.position != next {
            page = try reader.read(from: next, events: HostLimits.eventsAhead, bytes: HostLimits.bytesAhead)[...]
        }
        let fit = page.prefix { $0.position <= last.position }
        guard fit.first?.position == next, let end = fit.last, end.position < last.position || end.hash == last.hash
        else {
            throw LogFailure(
                operation: "fold", message: "what was taken in through \(last.position) is not there any more")
        }
        page = page.dropFirst(fit.count)
        return Array(fit)
    }
}
