import JSON

/// What another node has: its answer at `/.well-known/furrow-node/shared`.
struct PeerIndex: Hashable, Sendable, JSONReadable {
    /// A stored response.
    struct Entry: Hashable, Sendable, JSONReadable {
        /// The identifier of the farm's key.
        let farm: String
        let target: String
        /// Its media type.
        let type: String
        /// How often it was requested there lately.
        let requests: Double

        init(json: borrowing JSONValue) throws(JSONError) {
            farm = try json.get("farm")
            target = try json.get("target")
            type = try json.get("type")
            requests = try json.get("requests")
        }
    }

    /// The identifier of the node, random and the same after a restart.
    let node: String
    /// The port at which it serves each farm, by the identifier of the farm's key.
    let ports: [String: Int]
    /// Its entries, the most requested first.
    let entries: [Entry]

    /// Reads an index within the limits. Throws if it is none.
    init(json: borrowing JSONValue) throws(JSONError) {
        node = try json.get("node")
        guard (1...64).contains(node.utf8.count) else { throw JSONError(message: "no identifier", path: "node") }
        var ports: [String: Int] = [:]
        let farms: [FarmMember] = try json.get("farms")
        for farm in farms.prefix(NodeLimits.farms) where (1...65_535).contains(farm.port) {
            ports[farm.key] = farm.port
        }
        self.ports = ports
        let entries: [Entry] = try json.get("entries")
        self.entries = entries.prefix(NodeLimits.listed).filter { entry in
            entry.target.hasPrefix("/") && !entry.target.hasPrefix("//")
                && entry.target.utf8.count <= NodeLimits.targetBytes
        }
    }

    private struct FarmMember: JSONReadable {
        let key: String
        let port: Int

        init(json: borrowing JSONValue) throws(JSONError) {
            key = try json.get("key")
            port = try json.get("port")
        }
    }
}
