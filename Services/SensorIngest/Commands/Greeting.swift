import EventSourcing
import Host
import JSON
import Vocabulary
import Wire

/// Sends `hello` to the gateway about once a second: this slot accepts batches, and has these keys (`Pairing`).
struct Greeting {
    private static let pauseSeconds = 1.0

    private var sent: Instant?

    /// - Parameter keys: the digest of the keys of devices.
    mutating func due(at now: Instant, from origin: Origin, keys: String) -> [Effect] {
        if let sent, (0..<Self.pauseSeconds).contains(now.seconds(since: sent)) { return [] }
        sent = now
        var json = JSONWriter()
        json.object { json in
            json.field("origin", origin)
            json.field("slot", origin.slot)
            json.field("keys", keys)
        }
        return [
            .ask(
                OutgoingRequest(
                    GatewayRequestName.hello, body: json.bytes, actor: .service(SensorIngest.name),
                    token: Pairing.token, seconds: 1))
        ]
    }
}
