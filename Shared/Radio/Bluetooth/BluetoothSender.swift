import Vocabulary

/// The sender of an advertisement, its signal strength, and the key that decrypts its packets.
struct BluetoothSender {
    var address: UInt64? {
        didSet { device = Self.device(address) }
    }
    private(set) var device: DeviceID
    let rssi: Int?
    private let decoder: AdvertisementDecoder

    init(_ advertisement: Advertisement, _ decoder: AdvertisementDecoder) {
        address = advertisement.address
        device = advertisement.device
        rssi = advertisement.rssi
        self.decoder = decoder
    }

    /// Returns an empty report of a packet without a number of its own.
    func report(_ protocolName: String, _ kind: SensorKind, _ payload: [UInt8]) -> Report {
        Report(
            device: device, protocolName: protocolName, kind: kind, repeats: .payload, fingerprint: payload, rssi: rssi)
    }

    private static func device(_ address: UInt64?) -> DeviceID {
        address.map(DeviceID.bluetooth) ?? .unknownBluetooth
    }

    /// The key of the device, which the packet itself may have named.
    var key: [UInt8]? { decoder.keys[device] ?? decoder.commonKey }

    /// Whether the sender is known to encrypt.
    var encrypts: Bool { decoder.keys[device] != nil || decoder.commonKey != nil && !decoder.commonKeyIsOfSome }

    /// The address as six bytes in printed order, as ciphers use it.
    var addressBytes: [UInt8]? {
        guard let address else { return nil }
        return (0..<6).map { UInt8(truncatingIfNeeded: address >> UInt64(40 - 8 * $0)) }
    }
}
