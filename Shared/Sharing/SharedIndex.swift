import Crypto
import JSON
import Vocabulary

/// Writes what this node or client has: the response to `/.well-known/furrow-node/shared`, as ``PeerIndex`` reads it.
package struct SharedIndex {
    /// A farm that is served here.
    package struct Farm {
        /// The identifier of the farm's key.
        let key: String
        let port: Int

        package init(key: String, port: Int) { (self.key, self.port) = (key, port) }
    }

    /// A stored response that others can prove.
    package struct Entry {
        /// The identifier of the farm's key.
        let farm: String
        let target: String
        let type: String
        let requests: Double

        package init(farm: String, target: String, type: String, requests: Double) {
            (self.farm, self.target, self.type, self.requests) = (farm, target, type, requests)
        }
    }

    private let node: String
    private let kind: PeerKind
    private let farms: [Farm]
    private let entries: [Entry]

    /// - Parameter entries: The most requested first; at most ``SharingLimits/listed`` are written.
    package init(node: String, kind: PeerKind, farms: [Farm], entries: [Entry]) {
        self.node = node
        self.kind = kind
        self.farms = farms
        self.entries = entries
    }

    /// The index as one JSON object. Requests are rounded up, so that it changes with the order and not with each.
    package var json: [UInt8] {
        var json = JSONWriter()
        json.object { json in
            json.member("node", node)
            json.member("kind", kind.rawValue)
            json.field(
                "farms",
                array: { json in
                    for farm in farms {
                        json.element(object: { json in
                            json.member("key", farm.key)
                            json.member("port", farm.port)
                        })
                    }
                })
            json.field(
                "entries",
                array: { json in
                    for entry in entries.prefix(SharingLimits.listed) {
                        json.element(object: { json in
                            json.member("farm", entry.farm)
                            json.member("target", entry.target)
                            json.member("type", String(entry.type.prefix { $0 != ";" }))
                            json.member("requests", entry.requests.rounded(.up))
                        })
                    }
                })
        }
        return json.bytes
    }

    /// Returns the entity tag of an index.
    package static func tag(_ index: [UInt8]) -> String { "\"\(Hex.encode(SHA256.hash(index).prefix(8)))\"" }
}

/// What serves others in a network.
package enum PeerKind: String, Sendable {
    /// A node: it fetches from the farm what it does not have, when it has a network.
    case node
    /// A person's client: it serves what it has.
    case client
}
