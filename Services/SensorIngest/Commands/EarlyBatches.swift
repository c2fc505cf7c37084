import Host
import Vocabulary
import Wire

/// The batches that arrive before the keys of sensors do. They wait for them, so that a process that was just started
/// decodes what its predecessor would have decoded.
struct EarlyBatches {
    private static let commands: Set<ReceptionName> = [.ingestAdverts, .ingestCapture]
    /// The seconds after which batches are decoded without keys: the gateway may be away.
    private static let seconds = 2.0

    private var began: Instant?
    private(set) var requests: [Request] = []

    /// Takes a request that has to wait. Returns false for any other request, and if too many wait.
    mutating func take(_ request: Request) -> Bool {
        guard let command = ReceptionName(rawValue: request.verb), Self.commands.contains(command),
            requests.count < SensorLimits.earlyBatches
        else { return false }
        requests.append(request)
        return true
    }

    /// Whether the time to wait is over.
    mutating func isOver(at now: Instant) -> Bool {
        guard let began else {
            began = now
            return false
        }
        return !(0..<Self.seconds).contains(now.seconds(since: began))
    }
}
