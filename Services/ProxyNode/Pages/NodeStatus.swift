import JSON
import Vocabulary

/// A node's status file, as ``NodeAPI`` writes it, in words.
struct NodeStatus: Hashable, Sendable, JSONReadable {
    struct Farm: Hashable, Sendable, JSONReadable {
        let address: String
        let port: Int
        let isReachable: Bool
        let since: Instant?
        let reason: String?
        /// Whether it is another web site.
        let isSite: Bool

        init(json: borrowing JSONValue) throws(JSONError) {
            address = try json.get("address")
            port = try json.get("port")
            isReachable = try json.get("reachable")
            since = try json.find("since")
            reason = try json.find("reason")
            isSite = try json.find("site") ?? false
        }

        fileprivate var line: String {
            let time = since.map { $0.description.prefix(16).split(separator: "T").joined(separator: " ") + " UTC" }
            let state =
                isReachable
                ? time.map { "reached since \($0)" } ?? "not tried yet"
                : "not reached\(time.map { " since \($0)" } ?? ""): \(reason ?? "")"
            return "\(isSite ? "Site" : "Farm") \(address) on port \(port): \(state)"
        }
    }

    struct Stored: Hashable, Sendable, JSONReadable {
        let responses: Int
        let bytes: Int
        let limit: Int

        init(json: borrowing JSONValue) throws(JSONError) {
            responses = try json.get("responses")
            bytes = try json.get("bytes")
            limit = try json.get("limit")
        }
    }

    let farms: [Farm]
    let stored: Stored
    let waiting: Int
    /// Messages that wait for a farm, which alone can read them.
    let sealed: Int
    /// The number of other nodes.
    let peers: Int

    init(json: borrowing JSONValue) throws(JSONError) {
        farms = try json.get("farms")
        stored = try json.get("stored")
        waiting = try json.get("waiting")
        sealed = try json.find("sealed") ?? 0
        peers = try json.find("peers") ?? 0
    }

    /// The status in words, a line each.
    var lines: [String] {
        farms.map(\.line) + [
            "Stored: \(stored.responses) responses, \(stored.bytes >> 20) of \(stored.limit >> 20) MiB",
            "Requests that wait for a network: \(waiting)",
            "Orders and other messages that only the farm can read, and that wait: \(sealed)",
            "Other nodes: \(peers)",
        ]
    }
}
