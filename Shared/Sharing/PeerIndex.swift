package import JSON

/// What another node or client has: its answer at `/.well-known/furrow-node/shared`.
package struct PeerIndex: Hashable, Sendable, JSONReadable {
    /// The paths of a node's own responses (RFC 8615).
    package static let prefix = "/.well-known/furrow-node"
    /// The path of the index.
    package static let path = prefix + "/shared"

    /// A stored response.
    package struct Entry: Hashable, Sendable, JSONReadable {
        /// The identifier of the farm's key.
        package let farm: String
        package let target: String
        /// Its media type.
        package let type: String
        /// How often it was requested there lately.
        package let requests: Double

        package init(json: borrowing JSONValue) throws(JSONError) {
            farm = try json.get("farm")
            target = try json.get("target")
            type = try json.get("type")
            requests = try json.get("requests")
        }
    }

    /// The identifier of the node, random and the same after a restart.
    package let node: String
    /// What it is; a node if it does not say so.
    package let kind: PeerKind
    /// The port at which it serves each farm, by the identifier of the farm's key.
    package let ports: [String: Int]
    /// Its entries, the most requested first.
    package let entries: [Entry]

    /// Reads an index within the limits. Throws if it is none.
    package init(json: borrowing JSONValue) throws(JSONError) {
        node = try json.get("node")
        guard (1...64).contains(node.utf8.count) else { throw JSONError(message: "no identifier", path: "node") }
        kind = try json.find("kind", as: String.self).flatMap(PeerKind.init) ?? .node
        var ports: [String: Int] = [:]
        let farms: [FarmMember] = try json.get("farms")
        for farm in farms.prefix(SharingLimits.farms) where (1...65_535).contains(farm.port) {
            ports[farm.key] = farm.port
        }
        self.ports = ports
        let entries: [Entry] = try json.get("entries")
        self.entries = entries.prefix(SharingLimits.listed).filter { entry in
            entry.target.hasPrefix("/") && !entry.target.hasPrefix("//")
                && entry.target.utf8.count <= SharingLimits.targetBytes
        }
    }

    /// Returns the addresses in a node's list of others; only those in private networks.
    package static func addresses(ofOthers body: [UInt8]) -> [String] {
        do throws(JSONError) {
            let peers: [PeerMember] = try JSONValue.parse(body).get("peers")
            return peers.prefix(SharingLimits.peers).map(\.address).filter { address in
                guard let match = address.wholeMatch(of: /http:\/\/([0-9.]+):[0-9]{1,5}/) else { return false }
                return Avahi.isLocal(String(match.1))
            }
        } catch {
            return []
        }
    }

    private struct PeerMember: JSONReadable {
        let address: String

        init(json: borrowing JSONValue) throws(JSONError) { address = try json.get("address") }
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
