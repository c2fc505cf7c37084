import EventSourcing
import ZeroMQ

@testable import EventBus

/// A subscriber with the mistakes that the real one must not make. It accepts every page, from any position, as often
/// as it arrives, and requests the next one at once.
///
/// With `ignoringEpochs` it treats a rejection as a mistake: it requests again from one entry earlier, and takes the
/// entries whose positions it lacks.
final class NaiveSubscriber {
    private let line: MessageSocket
    private let feed: String
    private var poller = Poller()
    private(set) var list = TakenList()
    private let ignoresEpochs: Bool
    private var epoch = Epoch(0xE1)
    /// How many entries before its last one the next request begins.
    private var back = 0

    init(_ feed: String, at endpoint: String, _ context: Context, ignoringEpochs: Bool = false) throws {
        ignoresEpochs = ignoringEpochs
        line = try MessageSocket(dialling: endpoint, in: context, queue: 16, curve: nil)
        self.feed = feed
        _ = poller.add(line.socket)
    }

    /// Reads until the event at this position has arrived, or `seconds` have passed.
    func run(through position: Position, seconds: Double = 20) throws -> Bool {
        let clock = MonotonicClock()
        var counts = BusCounts()
        var askedAt = Int64.min
        while list.entries.last?.position ?? 0 < position {
            guard clock.microseconds < Int64(seconds * 1_000_000) else { return false }
            if clock.microseconds - max(askedAt, -1_000_000) > 100_000 { askedAt = try ask(at: clock.microseconds) }
            _ = try poller.wait(milliseconds: 10)
            var budget = 100
            while let arrival = try line.receive(&budget, counting: &counts) {
                if ignoresEpochs, arrival.message.kind == .refused {
                    let refusal = try FeedHeader.parse(arrival.message.header, PageRejection.init(header:))
                    epoch = refusal.head?.epoch ?? epoch
                    back += 1
                }
                guard arrival.message.kind == .page else { continue }
                let header = try FeedHeader.parse(arrival.message.header, PageHeader.init(header:))
                let entries = try PagePayload.read(
                    arrival.message.payload, first: header.first, count: header.count)
                let last = ignoresEpochs ? list.entries.last?.position ?? 0 : 0
                list.take(Page(head: header.head, entries: entries.filter { $0.position > last }))
                back = 0
                askedAt = try ask(at: clock.microseconds)
            }
        }
        return true
    }

    private func ask(at now: Int64) throws -> Int64 {
        let after = list.entries.dropLast(back).last.map {
            Checkpoint(epoch: epoch, position: $0.position, hash: $0.hash)
        }
        let header = PageRequest(feed: feed, after: after).header
        return try line.send(Message(.pageAsked, request: 1, header: header)) ? now : .min
    }
}
