import EventSourcing
import Events
import JSON
import Radio
import Vocabulary
import Wire

/// Commands for promotions. The devices of buyers decide whether and where they are shown.
extension MarketCommands {
    func publishPromotion(_ command: PublishPromotion) throws(Problem) -> Outcome {
        let promotion = command.promotion
        var rule = try PromotionRule(command)
        let farm: FarmID
        if let product = rule.product {
            guard let row = tables.get(ProductRow.self, product.rawValue), !row.isWithdrawn else {
                throw Problem(404, "unknown-product", "There is no product \(product).")
            }
            farm = row.farm
        } else if let named = command.farm {
            try check(named)
            farm = named
        } else {
            throw Problem(400, "malformed", "farm: is missing; a promotion of a category is of one farm.")
        }
        if let lot = rule.lot {
            guard rule.product != nil else {
                throw Problem(422, "no-product", "lot: name the product that is sold from lot \(lot), too.")
            }
            guard
                tables.find(OfferRow.self, where: "lot", is: lot.rawValue, limit: .max).contains(where: { offer in
                    offer.product == rule.product && !offer.isWithdrawn
                })
            else { throw Problem(409, "not-offered", "Nothing of lot \(lot) is offered; publish an offer first.") }
        }
        if let closing = rule.beforeClosing {
            let place = try pickup(closing.pickup)
            guard !place.opens.isEmpty else {
                throw Problem(
                    409, "no-opening-times",
                    "Nothing is known of when \(place.title) closes; enter its opening times first.")
            }
        }
        guard rule.until > now else {
            throw Problem(
                422, "in-the-past", "until: \(rule.until) is over; it is \(now). No device would show it.")
        }
        let before = tables.get(PromotionRow.self, promotion.rawValue)
        if let before {
            guard before.ended == nil else {
                throw Problem(409, "ended", "This promotion has ended; publish another one.")
            }
            guard before.farm == farm else {
                throw Problem(409, "another-farm", "This promotion is of farm \(before.farm).")
            }
        } else if tables.scan(PromotionRow.self, limit: .max).count(where: { $0.ended == nil })
            >= MarketLimits.promotions
        {
            throw Problem(
                409, "too-many-promotions",
                "There are \(MarketLimits.promotions) promotions at a time at most; end one.")
        }
        if let zone = tables.get(MarketFarmRow.self, farm.rawValue)?.zone { rule.hours?.zone = zone }
        let event = PromotionPublished(promotion: promotion, rule: rule)
        return made(event, "promotion/\(promotion)", farm: farm, status: 200) {
            $0.field("promotion", promotion)
        }
    }

    func endPromotion(_ command: EndPromotion) throws(Problem) -> Outcome {
        let promotion = command.promotion
        let row = try self.promotion(promotion)
        let event = PromotionEnded(promotion: promotion, why: .withdrawn)
        return made(event, "promotion/\(promotion)", farm: row.farm) { $0.field("promotion", promotion) }
    }

    /// Records that a promotion was shown to a person, or held back. Only the first time counts.
    func showPromotion(_ command: ShowPromotion) throws(Problem) -> Outcome {
        let person = try buyer()
        let answer = Response.made { _ in }
        let name = command.promotion
        guard tables.get(PromotionSeenRow.self, PromotionSeenRow.key(person, name)) == nil else { return ([], answer) }
        guard let row = tables.get(PromotionRow.self, name.rawValue) else {
            throw Problem(404, "unknown-promotion", "There is no promotion \(name).")
        }
        // A device without a connection may report it after its end.
        let shown = PromotionShown(promotion: name, person: person, heldBack: command.heldBack)
        var drafts = [draft(shown, "promotion/\(name)", farm: row.farm)]
        if let people = row.rule.people, row.ended == nil, !command.heldBack, row.people.shown + 1 >= people {
            drafts.append(
                draft(PromotionEnded(promotion: name, why: .reached), "promotion/\(name)", farm: row.farm))
        }
        return (drafts, answer)
    }

    private func promotion(_ promotion: PromotionID) throws(Problem) -> PromotionRow {
        guard let row = tables.get(PromotionRow.self, promotion.rawValue) else {
            throw Problem(404, "unknown-promotion", "There is no promotion \(promotion).")
        }
        guard row.ended == nil else { throw Problem(409, "ended", "This promotion has ended already.") }
        return row
    }
}

extension PromotionRule {
    /// The rule that a command describes. The time zone of its hours is UTC until the farm is known.
    init(_ command: PublishPromotion) throws(Problem) {
        guard (command.product == nil) != (command.category == nil) else {
            throw Problem(422, "product-or-category", "Name either a product or a category.")
        }
        guard command.from < command.until,
            command.until.seconds(since: command.from) <= MarketLimits.promotionDays * 86_400
        else {
            throw Problem(
                422, "too-long", "until: after from, and at most \(Int(MarketLimits.promotionDays)) days later.")
        }
        self.init(
            title: command.title, text: command.text, product: command.product,
            category: command.category?.lowercased(), lot: command.lot, audience: command.audience ?? .everyone,
            area: command.area, county: command.county, from: command.from, until: command.until,
            hours: try command.hours.map { times throws(Problem) in try PromotionHours(times) },
            beforeClosing: command.beforeClosing, beacons: try Self.beacons(command.beacons),
            node: command.node?.lowercased(), timesPerDay: command.timesPerDay, people: command.people,
            heldBackPercent: command.heldBackPercent, priority: command.priority,
            notifies: command.notifies ? true : nil)
        guard notifies != true || (isForEveryPlace && audience != .interested) else {
            throw Problem(
                422, "not-known-here",
                "notifies: only for everyone or favourites, without a place and a county. Where people are and what "
                    + "interests them is known to their devices alone.")
        }
    }

    private var isForEveryPlace: Bool { area == nil && county == nil && beacons == nil && node == nil }

    private static func beacons(_ text: String?) throws(Problem) -> String? {
        guard let text else { return nil }
        guard let region = BeaconRegion(text) else {
            throw Problem(
                422, "no-beacons",
                "beacons: ibeacon:UUID, also with :major and :minor, or eddystone:namespace, also with :instance.")
        }
        return region.description
    }
}

extension PromotionHours {
    /// The times of a week, in UTC. Throws 422 if they end before they begin.
    fileprivate init(_ times: TimesOfWeek) throws(Problem) {
        guard (times.from ?? "00:00") < (times.to ?? "24:00") else {
            throw Problem(422, "no-time", "hours: to has to be after from.")
        }
        self.init(weekdays: Set(times.weekdays).sorted(), from: times.from, to: times.to, zone: "UTC")
    }
}
