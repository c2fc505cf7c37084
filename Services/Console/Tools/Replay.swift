import EventSourcing

/// `furrow replay`: stored events, one a line.
struct Replay {
    private let premises: Premises
    private let feed: String
    private let from: Int
    private let to: Int
    private let asOf: AsOf?

    init(_ arguments: inout Arguments) throws {
        premises = try Premises(home: arguments.value("--home"))
        guard let feed = try arguments.value("--origin") else {
            throw Refusal("Say whose journal: --origin trace-ledger/farm-0, or --origin hub", isMisuse: true)
        }
        self.feed = feed
        from = try arguments.number("--from", 1...Int.max) ?? 1
        to = try arguments.number("--to", 1...Int.max) ?? Int.max
        // Events are JSON anyway.
        _ = arguments.flag("--json")
        asOf = try arguments.value("--as-of").map { text throws(Refusal) in try AsOf(text) }
        try arguments.end()
    }

    func run() throws -> Int32 {
        try JournalPull(premises).each(feed) { page in
            for entry in page.entries where entry.position >= from && entry.position <= to {
                guard try asOf?.includes(entry) ?? true else { continue }
                guard Terminal.put(entry.bytes + [10]) else { return false }
            }
            return (page.entries.last?.position ?? 0) < to
        }
        return 0
    }
}
