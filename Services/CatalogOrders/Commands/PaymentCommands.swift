import EventSourcing
import Events
import Host
import JSON
import Vocabulary
import Wire

/// The command for reports of payment providers, which may arrive in any order and more than once.
extension MarketCommands {
    func reportPayment(_ report: ReportPayment) throws(Problem) -> Outcome {
        guard ask.actor == .service("sync-gateway") else {
            throw Problem(403, "not-allowed", "Only payment providers say what became of payments.")
        }
        let payment = report.payment
        guard let row = tables.get(PaymentRow.self, payment.rawValue), let asked = row.state.requested else {
            throw Problem(404, "unknown-payment", "There is no payment \(payment).")
        }
        guard asked.method != .atPickup else {
            throw Problem(409, "at-pickup", "This payment is made in the hand of the farm.")
        }
        let said = try decide(report.command(), payment, row.state)
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

extension ReportPayment {
    /// What the report asks for. Throws 400 if it lacks a member that such a report has.
    fileprivate func command() throws(Problem) -> Payment.Command {
        switch event {
        case "opened": .open(reference: try present(reference, "reference"), page: page)
        case "authorized": .authorize(try present(amount, "amount"))
        case "captured": .capture(try present(amount, "amount"))
        case "refunded": .refund(try present(refund, "refund"), try present(amount, "amount"))
        default: .fail(reason: reason ?? "declined")
        }
    }

    private func present<Value>(_ value: Value?, _ name: String) throws(Problem) -> Value {
        guard let value else { throw Problem(400, "malformed", "\(name): is missing.") }
        return value
    }
}
