import EventSourcing
import Events
import Host
import JSON
import Vocabulary
import Wire

/// The command for reports of payment providers, which may arrive in any order and more than once.
extension MarketCommands {
    /// The kinds of report that a provider sends.
    private enum Word: String, JSONReadable {
        case opened
        case authorized
        case captured
        case failed
        case refunded
    }

    func reportPayment(_ body: RequestBody) throws(Problem) -> Outcome {
        guard ask.actor == .service("sync-gateway") else {
            throw Problem(403, "not-allowed", "Only payment providers say what became of payments.")
        }
        let payment = PaymentID(try body.name("payment"))
        guard let row = tables.get(PaymentRow.self, payment.rawValue), let asked = row.state.requested else {
            throw Problem(404, "unknown-payment", "There is no payment \(payment).")
        }
        guard asked.method != .atPickup else {
            throw Problem(409, "at-pickup", "This payment is made in the hand of the farm.")
        }
        let command: Payment.Command =
            switch try body.get("event", as: Word.self) {
            case .opened:
                .open(
                    reference: try body.text("reference"),
                    page: try body.optionalText("page", limit: MarketLimits.reasonBytes))
            case .authorized: .authorize(try body.get("amount"))
            case .captured: .capture(try body.get("amount"))
            case .failed: .fail(reason: try body.optionalText("reason") ?? "declined")
            case .refunded: .refund(RefundID(try body.name("refund")), try body.get("amount"))
            }
        let said = try decide(command, payment, row.state)
        var facts: [OrdersEvent] = []
        for fact in said { facts += try decide(.settle(fact, refund: RefundID(name("r"))), asked.order) }
        return (
            facts.map { EventDrafts.draft($0, by: ask.actor) },
            .made { json in
                json.field("payment", payment)
                json.field("news", !said.isEmpty)
            }
        )
    }

    private func decide(
        _ command: Payment.Command, _ payment: PaymentID, _ state: Payment.State
    ) throws(Problem) -> [OrdersEvent] {
        do {
            return try Payment.decide(command, in: state)
        } catch {
            switch error {
            case .unknown: throw Problem(404, "unknown-payment", "There is no payment \(payment).")
            case .known: throw Problem(409, "known", "There is a payment \(payment) already.")
            case .amount(let asked): throw Problem(409, "another-amount", "\(asked) were asked for.")
            case .captured: throw Problem(409, "captured", "This payment was made already.")
            case .notCaptured: throw Problem(409, "not-captured", "This payment is not known to be made yet.")
            case .tooMuch: throw Problem(409, "too-much", "More would go back than came in.")
            }
        }
    }
}
