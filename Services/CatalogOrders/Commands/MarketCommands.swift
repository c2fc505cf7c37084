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
        case .profileFarm: try profileFarm(ProfileFarm(body))
        case .listProduct: try listProduct(ListProduct(body))
        case .changeProduct: try changeProduct(ChangeProduct(body))
        case .withdrawProduct: try withdrawProduct(WithdrawProduct(body))
        case .publishOffer: try publishOffer(PublishOffer(body))
        case .repriceOffer: try repriceOffer(RepriceOffer(body))
        case .withdrawOffer: try withdrawOffer(WithdrawOffer(body))
        case .setStock: try setStock(SetStock(body))
        case .adjustStock: try adjustStock(AdjustStock(body))
        case .openPickup: try openPickup(OpenPickup(body))
        case .closePickup: try closePickup(ClosePickup(body))
        case .setFavourite: try setFavourite(SetFavourite(body))
        case .unsetFavourite: try unsetFavourite(UnsetFavourite(body))
        case .publishPromotion: try publishPromotion(PublishPromotion(body))
        case .endPromotion: try endPromotion(EndPromotion(body))
        case .showPromotion: try showPromotion(ShowPromotion(body))
        case .holdCart: try holdCart(HoldCart(body))
        case .emptyCart: try emptyCart()
        case .placeOrder: try placeOrder(PlaceOrder(body))
        case .changeOrder: try changeOrder(ChangeOrder(body))
        case .cancelOrder: try cancelOrder(CancelOrder(body))
        case .payAgain: try payAgain(PayAgain(body))
        case .callOffOrder: try callOffOrder(CallOffOrder(body))
        case .collectOrder: try collectOrder(CollectOrder(body))
        case .refundOrder: try refundOrder(RefundOrder(body))
        case .importOrders: try importOrders(ImportOrders(body))
        case .reportPayment: try reportPayment(ReportPayment(body))
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

    /// Throws if there is no such farm.
    func check(_ farm: FarmID) throws(Problem) {
        guard tables.get(MarketFarmRow.self, farm.rawValue) != nil else {
            throw Problem(404, "unknown-farm", "There is no farm \(farm).", .unresolved(reference: "farm/\(farm)"))
        }
    }
}

extension Request {
    /// The person who sent the request, or nil if a service sent it.
    var person: PersonID? { actor.person }
}
