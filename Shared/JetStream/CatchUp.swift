import EventSourcing
import EventStore
import Vocabulary
import Wire

/// Brings the file of a journal to the state of its stream.
///
/// Of pruned segments the stream has the files in place of the events. They stand behind the events that follow them,
/// so a file that lacks them takes them first.
struct CatchUp: ~Copyable {
    private let replica: JournalReplica
    private let stream: any MessageStream
    private let encryption: ResponseEncryption
    private let identity: String
    /// The message up to which the file has the events, or segments with them.
    private var next: Int64
    /// The message up to which the file has the segments.
    private var segmentsTaken: Int64
    private var pieces = SegmentPieces()

    init(_ replica: JournalReplica, with stream: any MessageStream, identity: String, encryption: ResponseEncryption) {
        self.replica = replica
        self.stream = stream
        self.identity = identity
        self.encryption = encryption
        next = replica.mark?.sequence ?? 0
        segmentsTaken = next
    }

    /// Applies the messages that the file does not have. Returns the number of the last one.
    mutating func run() throws(LogFailure) -> Int64 {
        if let mark = replica.mark, mark.log != identity {
            throw LogFailure(
                operation: "open", message: "\(stream.name) in this cluster is not the stream of this journal")
        }
        var waiting = RetryDeadline(stream.patience)
        while true {
            let last = try retry { () throws(JetStreamError) in try stream.describe()?.last ?? 0 }
            guard next <= last else {
                throw LogFailure(
                    operation: "catch up",
                    message: "\(stream.name) ends at \(last), and this machine has \(next) of its messages")
            }
            if next == last { return last }
            let page = try read(after: next)
            guard let end = page.last?.sequence, try follows(page) else {
                // The machine that answered may be behind.
                try waiting.pause(after: .unreachable("\(stream.name) has no message \(next + 1)"), "catch up")
                continue
            }
            try apply(page, through: end)
            next = end
            waiting = RetryDeadline(stream.patience)
        }
    }

    private func read(after sequence: Int64, _ kind: MessageKind? = nil) throws(LogFailure) -> [StoredMessage] {
        try retry { () throws(JetStreamError) in try stream.read(after: sequence, of: kind) }
    }

    private func retry<Result>(_ body: () throws(JetStreamError) -> Result) throws(LogFailure) -> Result {
        let deadline = RetryDeadline(stream.patience)
        return try deadline.retry("catch up", body)
    }

    /// Returns whether a page continues the file: nothing is missing but events that the file has in segments.
    private mutating func follows(_ page: [StoredMessage]) throws(LogFailure) -> Bool {
        guard let end = page.last?.sequence, end - next > page.count else { return true }
        try takeSegments()
        var (sequence, position) = (next, replica.position)
        for message in page {
            if message.sequence > sequence + 1, position > replica.sealedTo { return false }
            sequence = message.sequence
            guard message.kind == .event else { continue }
            let found = try message.position()
            if found > position + 1 { return false }
            position = max(position, found)
        }
        return true
    }

    /// Takes the segments that follow in the stream.
    private mutating func takeSegments() throws(LogFailure) {
        var pieces = SegmentPieces()
        var after = segmentsTaken
        while case let page = try read(after: after, .segment), let end = page.last?.sequence {
            for message in page {
                guard let segment = try pieces.add(message) else { continue }
                try replica.take(segment, of: identity)
                segmentsTaken = message.sequence
            }
            after = end
        }
    }

    private mutating func apply(_ page: [StoredMessage], through end: Int64) throws(LogFailure) {
        var (events, responses): ([[UInt8]], [NumberedResponse]) = ([], [])
        for message in page {
            switch message.kind {
            case .event: events.append(message.body)
            case .response: responses.append(try encryption.decrypt(message.body))
            case .state: break
            case .segment where message.sequence <= segmentsTaken: break
            case .segment:
                guard let segment = try pieces.add(message) else { continue }
                try replica.apply(events, responses, through: message.sequence - 1, of: identity)
                (events, responses) = ([], [])
                try replica.take(segment, of: identity)
                segmentsTaken = message.sequence
            }
        }
        // After an end in the middle of a segment, the next start reads it from its first piece.
        try replica.apply(events, responses, through: pieces.first.map { $0 - 1 } ?? end, of: identity)
    }
}
