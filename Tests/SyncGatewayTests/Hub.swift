import EventSourcing
import Events
import Host
import TestKit
import Vocabulary
import Wire

@testable import SyncGateway

/// A simulated hub: it projects events into the gateway's views, with one checkpoint event for each call. The stock
/// levels and records of orders that events change follow them, as the market publishes them.
final class Hub {
    let harness: GatewayHarness
    private(set) var position: Position = 0
    private var levels = StockLevelModel()
    private var records = OrderRecordModel()

    init(_ harness: GatewayHarness) { self.harness = harness }

    @discardableResult
    func tell(_ facts: [EventPayload], farm: FarmID? = FarmID("loma")) -> [RecordedEvent] {
        let first = position + 1
        var news: [RecordedEvent] = []
        let all = facts.flatMap { fact in
            [fact] + levels.apply(fact).map { .catalog(.stockLevelChanged($0)) } + record(fact)
        }
        for fact in all {
            position += 1
            let origin = Origin(service: "catalog-orders", site: "farm", slot: 0)
            let envelope = Envelope(
                id: .named("\(position)", in: .furrow), origin: origin, epoch: Epoch(1), position: position,
                name: "n", stream: "s", version: Int(position), time: GatewayHarness.start,
                recorded: GatewayHarness.start,
                farm: farm, actor: .service("catalog-orders"), correlation: nil, causation: nil)
            news.append(RecordedEvent(envelope, fact))
        }
        let intake = FeedConsumed(
            feed: "hub", epoch: Epoch(7), first: first, last: position, hash: String(repeating: "00", count: 32),
            parked: [])
        Folding<SyncGateway>(of: "sync-gateway/farm-0", into: harness.core.tables).fold(
            foreign: news, naming: intake)
        return news
    }

    private func record(_ fact: EventPayload) -> [EventPayload] {
        guard case .orders(let fact) = fact, let news = records.apply(fact, at: GatewayHarness.start) else { return [] }
        return [.orders(.orderRecordChanged(news))]
    }
}
