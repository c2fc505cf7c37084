package import EventSourcing
package import Vocabulary

/// One commit, as it is replicated: its events, and the response that is stored with them.
package struct ReplicatedCommit: Sendable {
    /// The events with their ids, in order.
    package let events: [(id: UUID, entry: Entry)]
    /// The stored response. Its number is 0: each file numbers the responses itself.
    package let response: NumberedResponse?
    /// The segment whose prune the commit records. The log has it in place of the segment's events.
    package var segment: ReplicatedSegment?

    package init(
        events: [(id: UUID, entry: Entry)], response: NumberedResponse? = nil, segment: ReplicatedSegment? = nil
    ) {
        self.events = events
        self.response = response
        self.segment = segment
    }
}

/// A log on other machines in which a journal's commits become durable, before its own file has them.
package protocol JournalReplication: AnyObject {
    /// Makes the commits durable in order, each as a whole or not at all, and returns the log's last sequence number.
    ///
    /// Throws if that is not certain, or if another writer has continued the journal. Then nothing more may be
    /// appended: what is durable is read when the journal is opened again.
    func append(_ commits: [ReplicatedCommit]) throws(LogFailure) -> Int64

    /// Removes the events up to `position` from the log, which has them in segments.
    func removeEvents(through position: Position) throws(LogFailure)
}
