public import JSON
public import Vocabulary

/// What has to be known to bring up a coordinator's network on another one, so that no device has to join again.
///
/// The JSON is the Open Coordinator Backup Format, version 1, which zigpy and zigbee2mqtt read and write. It contains
/// the network key.
public struct CoordinatorBackup: Hashable, Sendable {
    /// The key that a device shares with the coordinator alone.
    public struct LinkKey: Hashable, Sendable {
        public var key: [UInt8]
        public var sent: UInt32
        public var received: UInt32
    }

    /// A device of the network.
    public struct Device: Hashable, Sendable {
        public var ieee: UInt64
        /// Nil if it is unknown.
        public var short: UInt16?
        /// Whether the coordinator is its parent.
        public var isChild: Bool
        public var linkKey: LinkKey?
    }

    public var ieee: UInt64
    public var panID: UInt16
    public var extendedPANID: UInt64
    public var updateID: UInt8
    public var securityLevel: UInt8
    /// 11 to 26, and the channels on which the network may be, one bit each.
    public var channel: UInt8
    public var channels: UInt32
    public var key: [UInt8]
    public var keySequence: UInt8
    /// Devices refuse messages with a number that they have seen.
    public var frameCounter: UInt32
    /// The seed from which Z-Stack 3 derives link keys; nil in backups of other coordinators.
    public var seed: [UInt8]?
    public var devices: [Device]

    static let devicesMax = 400
}

extension CoordinatorBackup: JSONReadable {
    public init(json: borrowing JSONValue) throws(JSONError) {
        let metadata = try json.get("metadata", as: Metadata.self)
        guard metadata.format == Metadata.usual, metadata.version == 1 else {
            throw JSONError(message: "this is no open coordinator backup of version 1", path: "metadata/format")
        }
        ieee = try json.get("coordinator_ieee", as: Digits.self).number
        panID = UInt16(truncatingIfNeeded: try json.get("pan_id", as: Digits.self).number)
        extendedPANID = try json.get("extended_pan_id", as: Digits.self).number
        updateID = try json.get("nwk_update_id")
        securityLevel = try json.get("security_level")
        channel = try json.get("channel")
        channels = try json.get("channel_mask", as: [UInt8].self).filter { $0 < 32 }.reduce(0) { $0 | 1 << UInt32($1) }
        guard (11...26).contains(channel) else { throw JSONError(message: "use 11 to 26", path: "channel") }
        let network = try json.get("network_key", as: NetworkKey.self)
        (key, keySequence, frameCounter) = (network.key, network.sequence, network.counter)
        seed = try json.find("stack_specific", as: StackSpecific.self)?.seed
        devices = try json.get("devices")
        guard devices.count <= Self.devicesMax else {
            throw JSONError(message: "more than \(Self.devicesMax) devices", path: "devices")
        }
    }

    /// A number that is written as hexadecimal digits, the highest first.
    fileprivate struct Digits: JSONReadable {
        let number: UInt64

        init(json: borrowing JSONValue) throws(JSONError) {
            guard let number = UInt64(try json.string(), radix: 16) else {
                throw json.error("expected hexadecimal digits")
            }
            self.number = number
        }
    }

    /// A key of 16 bytes in hexadecimal digits.
    fileprivate struct Key: JSONReadable {
        let bytes: [UInt8]

        init(json: borrowing JSONValue) throws(JSONError) {
            guard let bytes = Hex.decode(try json.string()), bytes.count == 16 else {
                throw json.error("expected a key of 32 hexadecimal digits")
            }
            self.bytes = bytes
        }
    }

    private struct Metadata: JSONReadable {
        static let usual = "zigpy/open-coordinator-backup"

        let format: String
        let version: Int

        init(json: borrowing JSONValue) throws(JSONError) {
            format = try json.get("format")
            version = try json.get("version")
        }
    }

    private struct NetworkKey: JSONReadable {
        let key: [UInt8]
        let sequence: UInt8
        let counter: UInt32

        init(json: borrowing JSONValue) throws(JSONError) {
            key = try json.get("key", as: CoordinatorBackup.Key.self).bytes
            sequence = try json.get("sequence_number")
            counter = try json.get("frame_counter")
        }
    }

    private struct StackSpecific: JSONReadable {
        struct ZStack: JSONReadable {
            let seed: String?

            init(json: borrowing JSONValue) throws(JSONError) { seed = try json.find("tclk_seed") }
        }

        let seed: [UInt8]?

        init(json: borrowing JSONValue) throws(JSONError) {
            let bytes = try json.find("zstack", as: ZStack.self)?.seed.flatMap { Hex.decode($0) }
            seed = bytes.flatMap { $0.count == 16 ? $0 : nil }
        }
    }
}

extension CoordinatorBackup.Device: JSONReadable {
    public init(json: borrowing JSONValue) throws(JSONError) {
        ieee = try json.get("ieee_address", as: CoordinatorBackup.Digits.self).number
        short = try json.find("nwk_address", as: String.self).flatMap { UInt16($0, radix: 16) }
        isChild = try json.find("is_child") ?? true
        linkKey = try json.find("link_key")
    }
}

extension CoordinatorBackup.LinkKey: JSONReadable {
    public init(json: borrowing JSONValue) throws(JSONError) {
        key = try json.get("key", as: CoordinatorBackup.Key.self).bytes
        sent = try json.get("tx_counter")
        received = try json.get("rx_counter")
    }
}

extension CoordinatorBackup {
    /// Writes the members of the format.
    ///
    /// - Parameter made: When the backup was made.
    public func write(fields json: inout JSONWriter, made: Instant) {
        json.field(
            "metadata",
            object: { json in
                json.field("version", 1)
                json.field("format", Metadata.usual)
                json.field("source", "furrow")
                json.field(
                    "internal",
                    object: { json in
                        json.field("creation_time", made)
                        json.field(
                            "node",
                            object: { json in
                                json.field("ieee", Self.digits(ieee, 16))
                                json.field("nwk", "0000")
                                json.field("type", "coordinator")
                            })
                    })
            })
        json.field(
            "stack_specific",
            object: { json in
                guard let seed else { return }
                json.field("zstack", object: { $0.field("tclk_seed", Hex.encode(seed)) })
            })
        json.field("coordinator_ieee", Self.digits(ieee, 16))
        json.field("pan_id", Self.digits(UInt64(panID), 4))
        json.field("extended_pan_id", Self.digits(extendedPANID, 16))
        json.field("nwk_update_id", Int(updateID))
        json.field("security_level", Int(securityLevel))
        json.field("channel", Int(channel))
        json.field("channel_mask", (0..<32).filter { channels >> UInt32($0) & 1 == 1 })
        json.field(
            "network_key",
            object: { json in
                json.field("key", Hex.encode(key))
                json.field("sequence_number", Int(keySequence))
                json.field("frame_counter", Int(frameCounter))
            })
        json.field("devices", array: { json in for device in devices { device.write(to: &json) } })
    }

    fileprivate static func digits(_ number: UInt64, _ count: Int) -> String {
        let digits = String(number, radix: 16)
        return String(repeating: "0", count: max(0, count - digits.count)) + digits
    }
}

extension CoordinatorBackup.Device {
    fileprivate func write(to json: inout JSONWriter) {
        json.object { json in
            json.field("ieee_address", CoordinatorBackup.digits(ieee, 16))
            // A missing address is null in this format.
            json.field("nwk_address", short.map { .string(CoordinatorBackup.digits(UInt64($0), 4)) } ?? JSONAny.null)
            json.field("is_child", isChild)
            guard let linkKey else { return }
            json.field(
                "link_key",
                object: { json in
                    json.field("key", Hex.encode(linkKey.key))
                    json.field("tx_counter", Int(linkKey.sent))
                    json.field("rx_counter", Int(linkKey.received))
                })
        }
    }
}
