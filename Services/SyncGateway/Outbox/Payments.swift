import Crypto
import EventSourcing
import Events
import HTTP
import Host
import JSON
import Vocabulary
import Wire

/// The online payment provider, and the secret that signs its notices.
public struct PaymentProvider: Sendable {
    public let url: String
    fileprivate let secret: [UInt8]
    fileprivate let client = HTTPClient()

    public init(url: String, secret: String) {
        self.url = url
        self.secret = Array(secret.utf8)
    }

    /// Sends a request under an idempotency key. Returns the status in two bytes, then the body; empty if there was no
    /// response.
    func say(_ path: String, _ body: String, key: String) -> [UInt8] {
        do {
            let response = try client.send(
                "POST", url + path,
                headers: [
                    ("Content-Type", "application/json"), ("Idempotency-Key", key),
                    ("Authorization", "Bearer " + String(decoding: secret, as: UTF8.self)),
                ], body: Array(body.utf8), timeoutSeconds: GatewayLimits.messageSeconds)
            return [UInt8(response.status / 256 % 256), UInt8(response.status % 256)] + response.body
        } catch {
            // Without a response the message is retried, and fails after the last attempt.
            return []
        }
    }
}

/// Handles responses and notices of payment providers.
extension SyncGateway {
    /// Handles a provider's response. If it opened a payment, the market gets the page where the buyer can pay.
    mutating func answered(_ row: OutboxRow, _ answer: [UInt8]) -> [Effect] {
        guard row.path == "/v1/intents" else { return finish(row) }
        do throws(Problem) {
            let answer = try RequestBody(answer)
            let (reference, page) = (try answer.text("id"), try answer.optionalText("page", limit: 500))
            let payment: String = try RequestBody(Array(row.body.utf8)).get("payment")
            var json = JSONWriter()
            json.object { json in
                json.field("payment", payment)
                json.field("event", "opened")
                json.field("reference", reference)
                json.field("page", ifPresent: page)
            }
            let report = json.bytes
            return try begin(.opened(row)) { token in
                OutgoingRequest(
                    MarketCommandName.reportPayment, body: report, actor: .service(Self.name),
                    key: "opened/\(row.key)", token: token, seconds: GatewayLimits.commandSeconds)
            }
        } catch {
            return tryLater(row, "the response was unreadable")
        }
    }

    mutating func opened(_ row: OutboxRow, _ outcome: RequestOutcome) -> [Effect] {
        guard case .answer(let answer) = outcome, answer.status < 500 else {
            return tryLater(row, "the market did not respond")
        }
        return finish(row)
    }

    /// Verifies a provider's notice, signed by Standard Webhooks 1.0, and forwards it to the market. Its id is the
    /// idempotency key, so a repeated notice is recorded once.
    mutating func hearNotice(_ call: RequestContext) throws(Problem) -> [Effect] {
        guard let provider else { throw Problem(404, "no-provider", "No payment provider is known here.") }
        let headers = call.web.request.headers
        guard let id = headers["webhook-id"], RequestBody.isName(id), let stamp = headers["webhook-timestamp"],
            let seconds = Int64(stamp), let signature = headers["webhook-signature"]
        else { throw Problem(400, "unsigned", "Send webhook-id, webhook-timestamp and webhook-signature.") }
        let signed = Array("\(id).\(stamp).".utf8) + call.web.request.body
        let code = BaseEncoding.base64.encode(HMACSHA256.code(key: provider.secret, message: signed))
        guard
            signature.split(separator: " ").contains(where: {
                constantTimeEqual(Array($0.utf8), Array("v1,\(code)".utf8))
            })
        else { throw Problem(403, "forged", "This notice is not signed with the secret of the provider.") }
        // The range is checked first, because the difference of arbitrary numbers can overflow.
        let now = time.microseconds / 1_000_000
        guard (0...(now + 1_000_000)).contains(seconds), Double(abs(now - seconds)) <= GatewayLimits.noticeSeconds
        else {
            throw Problem(403, "too-old", "This notice was signed at another time than now.")
        }
        let command = Forwarded(
            .market(.reportPayment), body: call.web.request.body, actor: .service(Self.name),
            key: "notice/\(id)")
        return try begin(.command(call.web, command)) { command.outgoing($0, seconds: GatewayLimits.commandSeconds) }
    }
}
