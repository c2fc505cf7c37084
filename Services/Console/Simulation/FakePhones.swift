import HTTP
import Vocabulary

/// Two phones of a demonstration, each in the network of a node: they open what visitors open.
final class FakePhones {
    private let nodes: [String]
    private let client = HTTPClient()
    private var sent: Instant?
    private var turn = 0

    /// Seconds between two addresses of one phone.
    private static let seconds = 10.0
    /// What each phone opens, in turn. Some of it is opened by one of them only, so that its node alone has it.
    private static let opened = [
        ["/", "/v1/sync", "/v1/lots/TOM-1A/passport", "/ledger/keys", "/ledger/checkpoint"],
        ["/", "/v1/sync", "/v1/shelves"],
    ]

    /// - Parameter nodes: The nodes' addresses.
    init(_ nodes: [String]) {
        self.nodes = nodes
    }

    /// Opens the next address of each phone, if that is due. Errors are ignored: a node may be starting.
    func tend(at now: Instant) {
        if let sent, (0..<Self.seconds).contains(now.seconds(since: sent)) { return }
        sent = now
        for (node, addresses) in zip(nodes, Self.opened) {
            let address = addresses[turn % addresses.count]
            do throws(HTTPError) {
                _ = try client.send(
                    "GET", node + address, headers: [("Accept", address == "/" ? "text/html" : "*/*")],
                    timeoutSeconds: 5)
            } catch {
                continue
            }
        }
        turn += 1
    }
}
