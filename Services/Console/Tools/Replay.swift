import EventSourcing
import EventStore

/// `furrow replay`: prints stored events, one a line.
struct Replay {
    private let source: Source

    /// The source of the events: the journal of a running service, or the file of a sealed segment.
    private enum Source {
        case feed(String, FarmPaths)
        case segment(String)
    }

    private let from: Int
    private let to: Int
    private let asOf: AsOf?
    /// The starts of epochs, for selection by recorded time.
    private var starts = EpochStarts()
    private let isJSON: Bool
    /// The number of pruned events, of which only position and hash are left.
    private var letGo = 0
    /// The number of unreadable events, which cannot be selected by time.
    private var unreadable = 0

    init(_ arguments: inout Arguments) throws {
        if let file = try arguments.value("--file") {
            source = .segment(file)
        } else {
            let farmPaths = try FarmPaths(home: arguments.value("--home"))
            guard let feed = try arguments.value("--origin") else {
                throw Refusal(
                    "Name the journal: --origin trace-ledger/farm-0, or --origin hub; or which segment: --file F",
                    isMisuse: true)
            }
            source = .feed(feed, farmPaths)
        }
        from = try arguments.number("--from", 1...Int.max) ?? 1
        to = try arguments.number("--to", 1...Int.max) ?? Int.max
        // Events are printed as JSON with and without this option.
        isJSON = arguments.flag("--json")
        asOf = try arguments.value("--as-of").map { text throws(Refusal) in try AsOf(text) }
        try arguments.end()
    }

    mutating func run() throws -> Int32 {
        let code = try replay()
        if letGo > 0 {
            let what = letGo == 1 ? "1 pruned event is" : "\(letGo) pruned events are"
            Terminal.complain("\(what) omitted; only the hash of each is left. See: furrow audit")
            if isJSON { Terminal.put(Array("{\"letGo\":\(letGo)}\n".utf8)) }
        }
        if unreadable > 0 {
            let they = unreadable == 1 ? "1 event has" : "\(unreadable) events have"
            Terminal.complain("\(they) no readable time, and are omitted. See: furrow audit")
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

    /// Prints the entry if it is selected. Returns false if the reader of the output has closed it.
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
