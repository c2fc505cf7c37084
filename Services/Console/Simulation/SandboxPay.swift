import Crypto
import HTTP
import JSON
import Synchronization
import System
import Vocabulary
import Wire

/// `furrow sandbox-pay`: a payment provider in its own process that moves no money.
///
/// It takes intents, cancellations and refunds over HTTP, and lets a buyer approve or decline on a page. It reports
/// each result in a signed notice, which it repeats until the receiver confirms it.
///
/// Its state is in memory only: a restart loses its intents.
final class SandboxPay {
    private let port: Int
    private let sandbox: Till
    private let notify: String
    private let secret: [UInt8]
    private let client = HTTPClient()
    private let signals: SignalWatcher

    /// The state that request handlers and the sender share.
    final class Till: Sendable {
        let state: Mutex<SandboxState>

        init(_ sandbox: SandboxState) {
            state = Mutex(sandbox)
        }
    }

    init(_ arguments: inout Arguments) throws {
        port = try arguments.number("--port", 0...65_535) ?? 0
        guard let url = try arguments.value("--notify") else { throw Refusal("--notify needs the URL for notices.") }
        notify = url
        let seed = try arguments.number("--chaos", 0...Int(Int32.max))
        try arguments.end()
        guard let secret = Machine.environment["FURROW_SANDBOX_SECRET"], secret.utf8.count >= 16 else {
            throw Refusal("FURROW_SANDBOX_SECRET needs a secret of 16 characters or more.")
        }
        self.secret = Array(secret.utf8)
        sandbox = Till(SandboxState(chaos: seed.map { UInt64($0) }))
        signals = try SignalWatcher()
    }

    func run() throws -> Int32 {
        let (sandbox, secret) = (sandbox, secret)
        let server = try HTTPServer(address: "127.0.0.1", port: port) { exchange in
            exchange.respond(Self.answer(exchange.request, sandbox, secret))
        }
        sandbox.state.withLock { $0.address = "http://127.0.0.1:\(server.port)" }
        Terminal.say("The sandbox provider listens on http://127.0.0.1:\(server.port)")
        while true {
            if try !Poll.wait([signals.descriptor], milliseconds: 10).isEmpty,
                signals.drain().contains(where: { $0 == .terminate || $0 == .interrupt })
            {
                break
            }
            let now = Clock.monotonicMicroseconds()
            for notice in sandbox.state.withLock({ $0.due(at: now) }) {
                let isTaken = send(notice)
                sandbox.state.withLock { $0.sent(notice, isTaken: isTaken, at: Clock.monotonicMicroseconds()) }
            }
        }
        server.stop()
        return 0
    }

    /// Sends a notice, signed as Standard Webhooks 1.0 specifies.
    ///
    /// Only status 200 confirms it: 202 means that the outcome is unknown.
    private func send(_ notice: SandboxState.Notice) -> Bool {
        let stamp = String(Clock.realMicroseconds() / 1_000_000)
        let code = HMACSHA256.code(key: secret, message: Array("\(notice.id).\(stamp).".utf8) + notice.body)
        do {
            let response = try client.send(
                "POST", notify,
                headers: [
                    ("Content-Type", "application/json"), ("Idempotency-Key", notice.id), ("webhook-id", notice.id),
                    ("webhook-timestamp", stamp), ("webhook-signature", "v1,\(BaseEncoding.base64.encode(code))"),
                ], body: notice.body, timeoutSeconds: 15)
            return response.status == 200
        } catch {
            // The receiver cannot be reached now: the notice is sent again.
            return false
        }
    }

    private static func answer(_ request: HTTPRequest, _ sandbox: Till, _ secret: [UInt8]) -> HTTPResponse {
        if request.path.hasPrefix("/pay/") { return page(request, sandbox) }
        let bearer = Array((request.headers["Authorization"] ?? "").utf8)
        guard constantTimeEqual(bearer, Array("Bearer ".utf8) + secret) else {
            return HTTPResponse(Problem(401, "not-signed-in", "Send the secret as a bearer token."))
        }
        guard request.method == "POST", let key = request.headers["Idempotency-Key"] else {
            return HTTPResponse(Problem(404, "not-found", "There is nothing at this address."))
        }
        do throws(Problem) {
            let body = try RequestBody(request.body)
            return HTTPResponse(
                try sandbox.state.withLock { sandbox throws(Problem) in try sandbox.take(request.path, body, key: key) }
            )
        } catch {
            return HTTPResponse(error)
        }
    }

    /// The payment page: two buttons.
    private static func page(_ request: HTTPRequest, _ sandbox: Till) -> HTTPResponse {
        let id = String(request.path.dropFirst(5))
        let choice = String(decoding: request.body.prefix(64), as: UTF8.self)
        let text = sandbox.state.withLock { sandbox in
            if request.method == "POST" { sandbox.choose(id, isApproved: choice == "choice=approve") }
            return sandbox.describe(id)
        }
        guard let text else {
            return HTTPResponse(status: 404, type: "text/plain", body: Array("No such payment.\n".utf8))
        }
        let buttons =
            text.isOpen
            ? "<form method=post><button name=choice value=approve>Pay</button> "
                + "<button name=choice value=decline>Decline</button></form>" : ""
        let html =
            "<!doctype html><html lang=en><meta charset=utf-8><meta name=viewport content=\"width=device-width\">"
            + "<title>Sandbox payment</title><main><h1>Sandbox payment</h1><p>\(text.words) No money moves here.</p>"
            + "\(buttons)</main></html>"
        return HTTPResponse(status: 200, type: "text/html; charset=utf-8", body: Array(html.utf8))
    }
}

extension HTTPResponse {
    fileprivate init(_ problem: Problem) {
        self.init(status: problem.status, type: "application/problem+json", body: problem.body)
    }

    fileprivate init(_ answer: SandboxState.Reply) {
        self.init(status: answer.status, type: "application/json", body: answer.body)
    }
}
