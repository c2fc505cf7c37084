import EventSourcing
import Events
import Host
import JSON
import Vocabulary
import Wire

/// Turns a command request into event drafts and a response.
struct MarketCommands {
    let tables: any Tables
    let ask: Request
    let now: Instant
    /// Whether orders can be paid with the sandbox provider.
    let hasSandbox: Bool

    typealias Outcome = (drafts: [Draft], answer: Response)

    func carryOut(_ verb: MarketCommandName, _ body: RequestBody) throws(Problem) -> Outcome {
        switch verb {
        case .profileFarm: try profileFarm(body)
        case .listProduct: try listProduct(body)
        case .changeProduct: try changeProduct(body)
        case .withdrawProduct: try withdrawProduct(body)
        case .publishOffer: try publishOffer(body)
        case .repriceOffer: try repriceOffer(body)
        case .withdrawOffer: try withdrawOffer(body)
        case .setStock: try setStock(body)
        case .adjustStock: try adjustStock(body)
        case .openPickup: try openPickup(body)
        case .closePickup: try closePickup(body)
        case .setFavourite: try setFavourite(body)
        case .unsetFavourite: try unsetFavourite(body)
        case .publishPromotion: try publishPromotion(body)
        case .endPromotion: try endPromotion(body)
        case .showPromotion: try showPromotion(body)
        case .holdCart: try holdCart(body)
        case .emptyCart: try emptyCart()
        case .placeOrder: try placeOrder(body)
        case .changeOrder: try changeOrder(body)
        case .cancelOrder: try cancelOrder(body)
        case .payAgain: try payAgain(body)
        case .callOffOrder: try callOffOrder(body)
        case .collectOrder: try collectOrder(body)
        case .refundOrder: try refundOrder(body)
        case .importOrders: try importOrders(body)
        case .reportPayment: try reportPayment(body)
        }
    }

    // MARK: Tools

    func draft(_ event: any Event, _ stream: String, farm: FarmID?) -> Draft {
        Draft(event, in: stream, farm: farm, by: ask.actor)
    }

    func made(
        _ event: any Event, _ stream: String, farm: FarmID?, status: Int = 201,
        _ write: (inout JSONWriter) -> Void
    ) -> Outcome {
        ([draft(event, stream, farm: farm)], .made(status, write))
    }

    /// Returns the person who sent the request. The market knows people only by their identifiers.
    ///
    /// Throws 401 if the request comes from a service.
    func buyer() throws(Problem) -> PersonID {
        guard let person = ask.person else { throw Problem(401, "not-signed-in", "Sign in first.") }
        return person
    }

    /// Returns a name derived from the request's entropy, so that a repeated request makes the same name.
    func name(_ letter: String) -> String {
        letter + BaseEncoding.base32.encode(Array(ask.entropy.prefix(10))).lowercased()
    }

    func money(_ body: RequestBody, _ member: String) throws(Problem) -> Money {
        let money: Money = try body.get(member)
        guard (0...MarketLimits.priceMinor).contains(money.minor) else {
            throw Problem(
                400, "malformed", "\(member): 0 to \(MarketLimits.priceMinor) in the smallest unit of the currency.")
        }
        return money
    }

    func degrees(_ body: RequestBody, _ member: String, _ most: Double) throws(Problem) -> Double? {
        guard let value: Double = try body.find(member) else { return nil }
        guard abs(value) <= most else { throw Problem(400, "malformed", "\(member): \(-most) to \(most) degrees.") }
        return value
    }

    func farm(_ body: RequestBody) throws(Problem) -> FarmID {
        let farm = FarmID(try body.name("farm"))
        guard tables.get(MarketFarmRow.self, farm.rawValue) != nil else {
            throw Problem(404, "unknown-farm", "There is no farm \(farm).", .unresolved(reference: "farm/\(farm)"))
        }
        return farm
    }

    func reason(_ body: RequestBody) throws(Problem) -> String {
        try body.text("reason", limit: MarketLimits.reasonBytes)
    }

    func optionalReason(_ body: RequestBody) throws(Problem) -> String? {
        try body.optionalText("reason", limit: MarketLimits.reasonBytes)
    }
}

extension Request {
    /// The person who sent the request, or nil if a service sent it.
    var person: PersonID? { actor.person }
}
