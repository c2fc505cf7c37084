import EventSourcing
import Events

extension Page {
    /// The page up to the first event that only a newer build can read, and that event's version.
    var untilNewer: (page: Page, newer: NewerVersion?) {
        for (index, entry) in entries.enumerated() {
            guard let newer = NewerVersion(in: entry.bytes) else { continue }
            return (Page(head: head, entries: Array(entries[..<index])), newer)
        }
        return (self, nil)
    }
}
