import EventSourcing
import EventStore

/// `furrow replay`: stored events, one a line.
struct Replay {
    private let source: Source

    /// Whose events: a journal's that is served, or a sealed segment's, wherever its file lies.
    private enum Source {
        case feed(String, FarmPaths)
        case segment(String)
    }

    private let from: Int
    private let to: Int
    private let asOf: AsOf?
    /// Where epochs begin, for what is asked by recorded time.
    private var starts = EpochStarts()
    private let isJSON: Bool
    /// Events of which only place and hash are left.
    private var letGo = 0
    /// Events that cannot be read, so that nobody knows whether they were there at a time that was asked for.
    private var unreadable = 0

    init(_ arguments: inout Arguments) throws {
        if let file = try arguments.value("--file") {
            source = .segment(file)
        } else {
            let farmPaths = try FarmPaths(home: arguments.value("--home"))
            guard let feed = try arguments.value("--origin") else {
                throw Refusal(
                    "Say whose journal: --origin trace-ledger/farm-0, or --origin hub; or which segment: --file F",
                    isMisuse: true)
            }
            source = .feed(feed, farmPaths)
        }
        from = try arguments.number("--from", 1...Int.max) ?? 1
        to = try arguments.number("--to", 1...Int.max) ?? Int.max
        // Events are JSON anyway.
        isJSON = arguments.flag("--json")
        asOf = try arguments.value("--as-of").map { text throws(Refusal) in try AsOf(text) }
        try arguments.end()
    }

    mutating func run() throws -> Int32 {
        let code = try replay()
        if letGo > 0 {
            let (events, they) = letGo == 1 ? ("1 event", "its hash is") : ("\(letGo) events", "their hashes are")
            Terminal.complain("\(events) in between were let go; only \(they) left. See: furrow audit")
            if isJSON { Terminal.put(Array("{\"letGo\":\(letGo)}\n".utf8)) }
        }
        if unreadable > 0 {
            let they = unreadable == 1 ? "1 event says" : "\(unreadable) events say"
            Terminal.complain("\(they) no time: the bytes cannot be read, and are left out. See: furrow audit")
            if isJSON { Terminal.put(Array("{\"unreadable\":\(unreadable)}\n".utf8)) }
        }
        return code
    }

    private mutating func replay() throws -> Int32 {
        switch source {
        case .feed(let feed, let farmPaths):
            let pull = try JournalPull(farmPaths)
            if case .recorded = asOf {
                let journal = try pull.walk(feed)
                while let entry = try journal.next() { starts.add(entry) }
            }
            let journal = try pull.walk(feed)
            while let entry = try journal.next() {
                guard try tell(entry), entry.position < to else { return 0 }
            }
            if let reason = journal.stopped { throw Refusal("\(feed) cannot be read to its end: \(reason.finding).") }
        case .segment(let path):
            let segment: Segment
            do throws(LogFailure) {
                segment = try Segment(path: path)
                try segment.verify()
            } catch {
                Terminal.complain("\(path): \(error.message)")
                return 1
            }
            if case .recorded = asOf {
                for block in segment.head.blocks.indices {
                    try segment.entries(inBlock: block).forEach { starts.add($0) }
                }
            }
            for block in segment.head.blocks.indices {
                for entry in try segment.entries(inBlock: block) {
                    guard try tell(entry) else { return 0 }
                }
            }
        }
        return 0
    }

    /// False when nobody reads any more.
    private mutating func tell(_ entry: Entry) throws -> Bool {
        guard entry.position >= from, entry.position <= to else { return true }
        guard !entry.isPruned else {
            letGo += 1
            return true
        }
        if let asOf {
            guard let wasThere = asOf.includes(entry, before: starts) else {
                unreadable += 1
                return true
            }
            guard wasThere else { return true }
        }
        return Terminal.put(entry.bytes + [10])
    }
}
