import Wire

extension LedgerQueryName {
    /// Whether a separate query thread answers the query. Only long queries have it: that thread reads from the
    /// database what the thread that decides has in memory.
    var hasOwnThread: Bool { [.readings, .growth].contains(self) }
}
