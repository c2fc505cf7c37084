import Crypto
import HTTP
import JSON
import System
import Vocabulary

/// The receivers of a farm's notifications in this process: a mail server, a webhook, a push service and a reader of
/// the live feed. Each notes when something arrives.
final class AlarmSinks {
    /// How an alarm reaches people and pages.
    enum Channel: String, CaseIterable, Sendable {
        case liveFeed
        case email
        case webhook
        case push
    }

    /// One arrival; the time is monotonic, in microseconds.
    struct Arrival: Sendable {
        let channel: Channel
        let at: Int64
        /// The measuring point; only the live feed names it in clear text.
        var point: String?
    }

    private let arrivals: Mailbox<Arrival>
    private let mail: MailSink
    private let hook: HTTPServer
    private let push: HTTPServer
    private var isOpen = true

    /// More than one alarm has.
    private static let queued = 4096
    /// The longest time in seconds that the live feed is read.
    private static let liveSeconds = 7200.0

    init() throws {
        let arrivals = try Mailbox<Arrival>(capacity: Self.queued)
        self.arrivals = arrivals
        func sink(_ channel: Channel, _ status: Int) throws -> HTTPServer {
            try HTTPServer(address: "127.0.0.1", port: 0) { exchange in
                _ = arrivals.push(Arrival(channel: channel, at: Clock.monotonicMicroseconds()))
                exchange.respond(HTTPResponse(status: status, type: "text/plain", body: []))
            }
        }
        mail = try MailSink { _ = arrivals.push(Arrival(channel: .email, at: Clock.monotonicMicroseconds())) }
        (hook, push) = (try sink(.webhook, 204), try sink(.push, 201))
    }

    /// The settings with which a farm server sends to them.
    var settings: [String: String] {
        [
            "FURROW_SMTP": "smtp://127.0.0.1:\(mail.port)", "FURROW_MAIL_FROM": "farm@bench.test",
            "FURROW_DELIVERY_NETWORKS": "127.0.0.1", "FURROW_PUSH_NETWORKS": "127.0.0.1",
        ]
    }

    /// Subscribes to the farm's live feed, and makes the administrator reachable on every channel.
    func subscribe(to farm: BenchFarm) throws {
        let person: String = try JSONValue.parse(try farm.people.send("GET", "/v1/me", "")).get("person")
        try farm.people.send("PUT", "/v1/on-call", #"{"steps":[{"afterMinutes":0,"people":["\#(person)"]}]}"#)
        try farm.people.post(
            "/v1/webhooks",
            #"{"recipient":"\#(person)","url":"http://127.0.0.1:\#(hook.port)/alarm","title":"Siren"}"#)
        let key = BaseEncoding.base64url.encode(P256Key.generate().publicKey)
        let secret = BaseEncoding.base64url.encode(Random.bytes(16))
        try farm.people.post(
            "/v1/me/channels",
            #"{"endpoint":"http://127.0.0.1:\#(push.port)/phone","p256dh":"\#(key)","auth":"\#(secret)"}"#)
        let (arrivals, url, token) = (arrivals, "\(farm.url)/v1/live?topics=alarms", farm.token)
        // It ends with the farm server.
        _ = try Worker(name: "live feed") {
            do {
                try HTTPClient().events(
                    url, headers: [("Authorization", "Bearer \(token)")], timeoutSeconds: Self.liveSeconds
                ) { line in
                    if let point = Self.raisedPoint(in: line) {
                        _ = arrivals.push(
                            Arrival(channel: .liveFeed, at: Clock.monotonicMicroseconds(), point: point))
                    }
                    return true
                }
            } catch {
                // The farm server was stopped. If it was not, the next alarm is missing on this channel.
            }
        }
    }

    /// Returns what has arrived; waits if nothing has.
    func wait(milliseconds: Int) throws -> [Arrival] {
        if arrivals.count == 0 { _ = try Poll.wait([arrivals.descriptor], milliseconds: milliseconds) }
        return arrivals.drain()
    }

    func stop() {
        guard isOpen else { return }
        isOpen = false
        mail.stop()
        hook.stop()
        push.stop()
    }

    deinit { stop() }

    /// Returns the measuring point of a line of server-sent events that announces a raised alarm.
    static func raisedPoint(in line: String) -> String? {
        guard line.hasPrefix("data:") else { return nil }
        do {
            let message = try JSONValue.parse(Array(line.dropFirst(5).utf8))
            guard try message.get("raised", as: Bool.self) else { return nil }
            return try message.get("point")
        } catch {
            return nil
        }
    }
}
