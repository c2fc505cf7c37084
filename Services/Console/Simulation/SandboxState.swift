import Crypto
import JSON
import System
import Vocabulary
import Wire

/// The state of the sandbox provider: intents, stored responses by idempotency key, and unconfirmed notices.
struct SandboxState: Sendable {
    /// One payment, as the provider sees it.
    struct Intent: Sendable {
        let id: String
        let payment: String
        let order: String
        let amount: Money
        var state = State.open
        var refunds: [String: Money] = [:]

        /// The amount that can still be refunded, in minor units.
        var left: Int64 { amount.minor - refunds.values.reduce(0) { $0 + $1.minor } }
    }

    enum State: String, Sendable { case open, captured, declined, cancelled }

    /// A webhook notice that waits to be sent.
    struct Notice: Sendable {
        let id: String
        let body: [UInt8]
        var due: Int64
        var tries = 0
    }

    /// The response to a request.
    struct Reply: Sendable {
        let status: Int
        let body: [UInt8]
    }

    var address = ""
    private let isChaotic: Bool
    private var chance: UInt64
    private var intents: [String: Intent] = [:]
    private var replies: [String: Reply] = [:]
    private var notices: [Notice] = []

    private static let intentsAtMost = 100_000
    private static let triesAtMost = 100

    init(chaos: UInt64?) {
        isChaotic = chaos != nil
        chance = chaos ?? 0
    }

    // MARK: Requests of the gateway

    /// Handles a request; a repeated idempotency key returns the stored response.
    mutating func take(_ path: String, _ body: RequestBody, key: String) throws(Problem) -> Reply {
        if let known = replies[key] { return known }
        let reply =
            switch path {
            case "/v1/intents": try open(body)
            case "/v1/cancellations": try cancel(body)
            case "/v1/refunds": try refund(body)
            default: throw Problem(404, "not-found", "There is nothing at this address.")
            }
        replies[key] = reply
        return reply
    }

    private mutating func open(_ body: RequestBody) throws(Problem) -> Reply {
        guard intents.count < Self.intentsAtMost else { throw Problem(503, "full", "The sandbox is full.") }
        let id = "pi_" + Hex.encode(Random.bytes(8))
        let intent = Intent(
            id: id, payment: try body.name("payment"), order: try body.name("order"), amount: try body.get("amount"))
        intents[id] = intent
        var json = JSONWriter()
        json.object { json in
            json.field("id", id)
            json.field("page", "\(address)/pay/\(id)")
        }
        return Reply(status: 201, body: json.bytes)
    }

    private mutating func cancel(_ body: RequestBody) throws(Problem) -> Reply {
        let payment = try body.name("payment")
        for (id, intent) in intents where intent.payment == payment && intent.state == .open {
            intents[id]?.state = .cancelled
        }
        return Reply(status: 200, body: Array("{}".utf8))
    }

    private mutating func refund(_ body: RequestBody) throws(Problem) -> Reply {
        let (order, refund) = (try body.name("order"), try body.name("refund"))
        let amount: Money = try body.get("amount")
        let paid = intents.values.filter { $0.order == order && $0.state == .captured }
        guard !paid.isEmpty else { throw Problem(409, "not-captured", "Nothing was paid for this order.") }
        // An order may have been paid twice.
        guard paid.allSatisfy({ $0.refunds[refund] == nil }),
            let intent = paid.first(where: { $0.left >= amount.minor })
        else {
            throw Problem(409, "too-much", "More would go back than came in.")
        }
        intents[intent.id]?.refunds[refund] = amount
        tell(intent, "refunded", amount, refund: refund)
        return Reply(status: 201, body: Array("{}".utf8))
    }

    // MARK: Actions of the buyer

    mutating func choose(_ id: String, isApproved: Bool) {
        guard let intent = intents[id], intent.state == .open else { return }
        intents[id]?.state = isApproved ? .captured : .declined
        guard isApproved else { return tell(intent, "failed", nil) }
        tell(intent, "authorized", intent.amount)
        tell(intent, "captured", intent.amount)
    }

    func describe(_ id: String) -> (words: String, isOpen: Bool)? {
        guard let intent = intents[id] else { return nil }
        return ("\(intent.amount) for order \(intent.order): \(intent.state.rawValue).", intent.state == .open)
    }

    // MARK: Notices

    private mutating func tell(_ intent: Intent, _ event: String, _ amount: Money?, refund: String? = nil) {
        var json = JSONWriter()
        json.object { json in
            json.field("payment", intent.payment)
            json.field("event", event)
            json.field("amount", ifPresent: amount)
            json.field("refund", ifPresent: refund)
            json.field("reason", ifPresent: event == "failed" ? "declined by the buyer" : nil)
        }
        let id = "n" + Hex.encode(Random.bytes(12))
        let now = Clock.monotonicMicroseconds()
        for _ in 0..<(isChaotic ? 1 + Int(draw() % 3) : 1) {
            let delay = isChaotic ? Int64(draw() % 400_000) : 0
            notices.append(Notice(id: id, body: json.bytes, due: now + delay))
        }
    }

    /// Removes and returns up to 16 notices that are due.
    mutating func due(at now: Int64) -> [Notice] {
        let due = notices.filter { $0.due <= now }.sorted { $0.due < $1.due }.prefix(16)
        notices.removeAll { notice in due.contains { $0.id == notice.id && $0.due == notice.due } }
        return Array(due)
    }

    /// Schedules an unconfirmed notice again, with a growing delay.
    mutating func sent(_ notice: Notice, isTaken: Bool, at now: Int64) {
        guard !isTaken, notice.tries < Self.triesAtMost else { return }
        var again = notice
        again.tries += 1
        again.due = now + min(100_000 << Int64(min(notice.tries, 6)), 5_000_000)
        notices.append(again)
    }

    /// Returns the next number of the seeded sequence (SplitMix64).
    private mutating func draw() -> UInt64 {
        chance &+= 0x9E37_79B9_7F4A_7C15
        var mixed = chance
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}
