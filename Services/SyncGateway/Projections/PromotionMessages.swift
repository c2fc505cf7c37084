import EventSourcing
import Events
import JSON
import Vocabulary
import Wire

/// The content of a message about a promotion.
struct PromotionMessage {
    let promotion: PromotionID
    let person: PersonID
    let title: String
    let text: String
    /// The path of the page that it opens.
    let link: String
    let requested: Instant

    /// Reads the content of an outbox message; nil if it is about something else.
    init?(_ row: OutboxRow) {
        guard row.path == PromotionNotified.name else { return nil }
        do throws(JSONError) {
            let json = try JSONValue.parse(row.body)
            promotion = try json.get("promotion")
            person = try json.get("person")
            title = try json.get("title")
            text = try json.get("text")
            link = try json.get("link")
            requested = try json.get("requested")
        } catch {
            return nil
        }
    }
}

/// Projects the promotions that people are notified of, and puts a message for each of their devices into the outbox.
enum PromotionMessages {
    static func apply(_ fact: CatalogEvent, _ envelope: Envelope, to tables: some Tables) {
        switch fact {
        case .promotionPublished(let event):
            if event.rule.notifies == true, let farm = envelope.farm {
                tables.put(NotifyingPromotionRow(event, of: farm))
            } else {
                tables.remove(NotifyingPromotionRow.self, event.promotion.rawValue)
            }
        case .promotionEnded(let event):
            tables.remove(NotifyingPromotionRow.self, event.promotion.rawValue)
            OutboxRow.withdraw(subject(event.promotion), "the promotion has ended", tables)
        case .farmProfiled, .productListed, .productChanged, .productWithdrawn, .offerPublished, .offerRepriced,
            .offerWithdrawn, .stockSet, .stockAdjusted, .stockLevelChanged, .lotBlocked, .pickupOpened, .pickupClosed,
            .favouriteSet,
            .favouriteUnset, .promotionShown:
            break
        }
    }

    /// Adds a message for each device of each person.
    static func notify(_ event: PromotionNotified, _ envelope: Envelope, _ tables: some Tables) {
        guard let promotion = tables.get(NotifyingPromotionRow.self, event.promotion.rawValue) else { return }
        let rule = promotion.rule
        for person in event.people {
            var known = tables.get(PersonNotificationsRow.self, person.rawValue) ?? PersonNotificationsRow(person)
            known.add(event.promotion, at: envelope.time)
            tables.put(known)
            var json = JSONWriter()
            json.object { json in
                json.field("promotion", event.promotion)
                json.field("person", person)
                json.field("title", rule.title)
                json.field("text", rule.text ?? "")
                json.field("link", rule.product.map { "/products/\($0)" } ?? "/promotions")
                json.field("requested", envelope.time)
            }
            let devices = tables.find(
                ChannelRow.self, where: "person", is: person.rawValue, limit: GatewayLimits.channelsOfPerson)
            for device in devices where device.kind == .push && device.state == .active {
                tables.put(
                    OutboxRow(
                        .named("\(envelope.id)|\(person)|\(device.key)", in: .furrow), cause: envelope.id, to: .push,
                        path: PromotionNotified.name, about: nil, body: json.text, channel: UUID(device.key),
                        alarm: subject(event.promotion)))
            }
        }
    }

    private static func subject(_ promotion: PromotionID) -> String { "promotion|\(promotion)" }
}
