import EventSourcing
import Events
import JSON
import Radio
import Vocabulary
import Wire

/// Commands for promotions. The devices of buyers decide whether and where they are shown.
extension MarketCommands {
    func publishPromotion(_ body: RequestBody) throws(Problem) -> Outcome {
        let promotion = PromotionID(try body.name("promotion"))
        var rule = try PromotionRule(body)
        let farm: FarmID
        if let product = rule.product {
            guard let row = tables.get(ProductRow.self, product.rawValue), !row.isWithdrawn else {
                throw Problem(404, "unknown-product", "There is no product \(product).")
            }
            farm = row.farm
        } else {
            farm = try self.farm(body)
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

    func endPromotion(_ body: RequestBody) throws(Problem) -> Outcome {
        let (promotion, row) = try promotion(body)
        let event = PromotionEnded(promotion: promotion, why: .withdrawn)
        return made(event, "promotion/\(promotion)", farm: row.farm) { $0.field("promotion", promotion) }
    }

    /// Records that a promotion was shown to a person, or held back. Only the first time counts.
    func showPromotion(_ body: RequestBody) throws(Problem) -> Outcome {
        let person = try buyer()
        let answer = Response.made { _ in }
        let name = PromotionID(try body.name("promotion"))
        let isHeldBack: Bool = try body.find("heldBack") ?? false
        guard tables.get(PromotionSeenRow.self, PromotionSeenRow.key(person, name)) == nil else { return ([], answer) }
        guard let row = tables.get(PromotionRow.self, name.rawValue) else {
            throw Problem(404, "unknown-promotion", "There is no promotion \(name).")
        }
        // A device without a connection may report it after its end.
        let shown = PromotionShown(promotion: name, person: person, heldBack: isHeldBack)
        var drafts = [draft(shown, "promotion/\(name)", farm: row.farm)]
        if let people = row.rule.people, row.ended == nil, !isHeldBack, row.people.shown + 1 >= people {
            drafts.append(
                draft(PromotionEnded(promotion: name, why: .reached), "promotion/\(name)", farm: row.farm))
        }
        return (drafts, answer)
    }

    private func promotion(_ body: RequestBody) throws(Problem) -> (PromotionID, PromotionRow) {
        let promotion = PromotionID(try body.name("promotion"))
        guard let row = tables.get(PromotionRow.self, promotion.rawValue) else {
            throw Problem(404, "unknown-promotion", "There is no promotion \(promotion).")
        }
        guard row.ended == nil else { throw Problem(409, "ended", "This promotion has ended already.") }
        return (promotion, row)
    }
}

extension PromotionRule {
    /// Reads a rule from a request. The time zone of its hours is UTC until the farm is known.
    init(_ body: RequestBody) throws(Problem) {
        let product = try body.has("product") ? ProductID(body.name("product")) : nil
        let category = try body.optionalText("category", limit: 40)?.lowercased()
        guard (product == nil) != (category == nil) else {
            throw Problem(422, "product-or-category", "Name either a product or a category.")
        }
        guard let audience = PromotionAudience(rawValue: try body.optionalText("audience") ?? "everyone") else {
            throw Problem(400, "malformed", "audience: everyone, favourites or interested.")
        }
        let (from, until): (Instant, Instant) = (try body.get("from"), try body.get("until"))
        guard from < until, until.seconds(since: from) <= MarketLimits.promotionDays * 86_400 else {
            throw Problem(
                422, "too-long", "until: after from, and at most \(Int(MarketLimits.promotionDays)) days later.")
        }
        self.init(
            title: try body.text("title", limit: 80), text: try body.optionalText("text", limit: 500), product: product,
            category: category, lot: try body.has("lot") ? LotID(body.name("lot")) : nil, audience: audience,
            area: try Self.area(body), county: try body.optionalText("county", limit: 60), from: from, until: until,
            hours: try Self.hours(body), beforeClosing: try Self.closing(body), beacons: try Self.beacons(body),
            node: try body.optionalText("node", limit: 120)?.lowercased(),
            timesPerDay: try Self.number(body, "timesPerDay", 1...20) ?? 1,
            people: try Self.number(body, "people", MarketLimits.promotionPeople),
            heldBackPercent: try Self.number(body, "heldBackPercent", 0...50) ?? 0,
            priority: try Self.number(body, "priority", 0...9) ?? 5,
            notifies: try body.find("notifies", as: Bool.self) == true ? true : nil)
        guard notifies != true || (isForEveryPlace && audience != .interested) else {
            throw Problem(
                422, "not-known-here",
                "notifies: only for everyone or favourites, without a place and a county. Where people are and what "
                    + "interests them is known to their devices alone.")
        }
    }

    private var isForEveryPlace: Bool { area == nil && county == nil && beacons == nil && node == nil }

    private static func closing(_ body: RequestBody) throws(Problem) -> PromotionClosing? {
        guard let closing: PromotionClosing = try body.find("beforeClosing") else { return nil }
        let minutes = MarketLimits.closingMinutes
        guard minutes.contains(closing.minutes) else {
            throw Problem(
                400, "malformed", "beforeClosing: a pickup, and \(minutes.lowerBound) to \(minutes.upperBound) minutes."
            )
        }
        return closing
    }

    private static func beacons(_ body: RequestBody) throws(Problem) -> String? {
        guard let text = try body.optionalText("beacons", limit: 120) else { return nil }
        guard let region = BeaconRegion(text) else {
            throw Problem(
                422, "no-beacons",
                "beacons: ibeacon:UUID, also with :major and :minor, or eddystone:namespace, also with :instance.")
        }
        return region.description
    }

    private static func number(
        _ body: RequestBody, _ name: String, _ range: ClosedRange<Int>
    ) throws(Problem) -> Int? {
        guard let number: Int = try body.find(name) else { return nil }
        guard range.contains(number) else {
            throw Problem(400, "malformed", "\(name): \(range.lowerBound) to \(range.upperBound).")
        }
        return number
    }

    private static func area(_ body: RequestBody) throws(Problem) -> PromotionArea? {
        guard let area: PromotionArea = try body.find("area") else { return nil }
        guard abs(area.latitude) <= 90, abs(area.longitude) <= 180,
            MarketLimits.promotionMetres.contains(area.metres)
        else {
            throw Problem(400, "malformed", "area: a latitude, a longitude, and 50 to 200000 metres.")
        }
        return area
    }

    private static func hours(_ body: RequestBody) throws(Problem) -> PromotionHours? {
        guard let value: JSONValue = try body.find("hours") else { return nil }
        let hours: PromotionHours
        do throws(JSONError) {
            hours = PromotionHours(
                weekdays: Set(try value.find("weekdays", as: [Int].self) ?? []).sorted(), from: try value.find("from"),
                to: try value.find("to"), zone: "UTC")
        } catch {
            throw .malformed(error)
        }
        guard hours.weekdays.allSatisfy((1...7).contains) else {
            throw Problem(400, "malformed", "weekdays: 1 for Monday to 7 for Sunday.")
        }
        let (from, to) = (hours.from ?? "00:00", hours.to ?? "24:00")
        guard from < to else { throw Problem(422, "no-time", "hours: to has to be after from.") }
        return hours
    }
}
