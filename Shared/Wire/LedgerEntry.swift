import Crypto
public import EventSourcing
public import JSON
import Vocabulary

/// One event's entry in the transparency log: its position and a commitment to its bytes, not the bytes themselves.
///
/// The entry is exactly this JSON, with no spaces and the members in this order:
/// `{"v":1,"hub":7,"origin":"sensor-ingest/farm-0","epoch":"00000000000000ff","pos":3,"c":"…"}`. `hub` and `pos` are
/// decimal numbers from 1 (the hub's position and the origin's own), `epoch` 16 lower-case hexadecimal digits, `c` the
/// base64 (RFC 4648, with padding) of SHA-256(salt ‖ event bytes). The entry is number `hub` − 1 of the Merkle tree.
public struct LedgerEntry: Sendable, Equatable {
    /// Bytes of a salt.
    public static let saltBytes = 16

    /// The position in the hub, from 1.
    public let hub: Position
    /// The origin: `sensor-ingest/farm-0`.
    public let origin: String
    /// The epoch of the origin's journal.
    public let epoch: Epoch
    /// The position in the origin's journal, from 1.
    public let position: Position
    /// SHA-256(salt ‖ event bytes); 32 bytes.
    public let commitment: [UInt8]

    /// Creates an entry; `commitment` has 32 bytes.
    public init(hub: Position, origin: String, epoch: Epoch, position: Position, commitment: [UInt8]) {
        self.hub = hub
        self.origin = origin
        self.epoch = epoch
        self.position = position
        self.commitment = commitment
    }

    /// Returns the commitment that hides an event until its salt and bytes are revealed; 32 bytes.
    public static func commitment(salt: [UInt8], event: [UInt8]) -> [UInt8] {
        SHA256.hash(salt, event)
    }

    /// The entry's exact bytes, which are hashed and published.
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

    /// The entry's leaf in the Merkle tree: SHA-256(0x00 ‖ bytes).
    public var leaf: [UInt8] { MerkleTree.leaf(bytes) }

    /// Reads an entry; throws for any other encoding of the same values, which would have another leaf.
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
