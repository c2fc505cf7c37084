import Crypto
public import EventSourcing
public import JSON
import Vocabulary

/// What stands in the transparency log for one event: where it lies and a commitment to its bytes, not the bytes.
///
/// The entry is exactly this JSON, with no spaces and the members in this order:
/// `{"v":1,"hub":7,"origin":"sensor-ingest/farm-0","epoch":"00000000000000ff","pos":3,"c":"…"}`. `hub` and `pos` are
/// decimal numbers from 1 (the hub's position and the origin's own), `epoch` 16 lower-case hexadecimal digits, `c` the
/// base64 (RFC 4648, with padding) of SHA-256(salt ‖ event bytes). The entry is number `hub` − 1 of the Merkle tree.
public struct LedgerEntry: Sendable, Equatable {
    /// Bytes of a salt.
    public static let saltBytes = 16

    public let hub: Position
    public let origin: String
    public let epoch: Epoch
    public let position: Position
    /// SHA-256(salt ‖ event bytes); 32 bytes.
    public let commitment: [UInt8]

    public init(hub: Position, origin: String, epoch: Epoch, position: Position, commitment: [UInt8]) {
        self.hub = hub
        self.origin = origin
        self.epoch = epoch
        self.position = position
        self.commitment = commitment
    }

    /// What hides the event in its entry until salt and bytes are shown; 32 bytes.
    public static func commitment(salt: [UInt8], event: [UInt8]) -> [UInt8] {
        SHA256.hash(salt, event)
    }

    /// The entry as it is hashed and published.
    public var bytes: [UInt8] {
        var json = JSONWriter(reserving: 192)
        json.object { json in
            json.field("v", 1)
            json.field("hub", hub)
            json.field("origin", origin)
            json.field("epoch", epoch)
            json.field("pos", position)
            json.field("c", BaseEncoding.base64.encode(commitment))
        }
        return json.bytes
    }

    /// Its leaf in the Merkle tree: SHA-256(0x00 ‖ bytes).
    public var leaf: [UInt8] { MerkleTree.leaf(bytes) }

    /// Reads an entry; other spellings of the same values are refused, since their leaf is another one.
    public init(_ bytes: [UInt8]) throws(JSONError) {
        let json = try JSONValue.parse(bytes)
        guard try json.get("v", as: Int.self) == 1 else { throw JSONError(message: "expected version 1", path: "v") }
        guard let commitment = BaseEncoding.base64.decode(try json.get("c")), commitment.count == SHA256.size else {
            throw JSONError(message: "expected 32 bytes in base64", path: "c")
        }
        self.init(
            hub: try json.get("hub"), origin: try json.get("origin"), epoch: try json.get("epoch"),
            position: try json.get("pos"), commitment: commitment)
        guard self.bytes == bytes else { throw JSONError(message: "expected the one spelling of an entry") }
    }
}
