public import Vocabulary

/// A transmitter that announces an identity rather than measurements.
public struct Beacon: Hashable, Sendable {
    /// The Bluetooth address it was received under, which beacons may change at any time; `kind` identifies the beacon.
    public var device: DeviceID
    public var kind: Kind
    public var rssi: Int?

    public init(device: DeviceID, kind: Kind, rssi: Int? = nil) {
        self.device = device
        self.kind = kind
        self.rssi = rssi
    }

    /// The beacon's format and contents.
    public enum Kind: Hashable, Sendable {
        /// Apple's format; `power` is the signal strength at 1 m in dBm.
        case iBeacon(uuid: [UInt8], major: UInt16, minor: UInt16, power: Int)
        /// Eddystone-UID; `power` is the signal strength at 0 m in dBm (about 41 dB above that at 1 m).
        case eddystoneUID(namespace: [UInt8], instance: [UInt8], power: Int)
        case eddystoneURL(url: String, power: Int)
        /// Eddystone-TLM: volts, °C, advertisements since start, seconds since start. It contains no identity; match it
        /// by address with the beacon's other frames.
        case eddystoneTLM(volts: Double?, celsius: Double?, advertisements: UInt32, seconds: Double)
        /// Eddystone-TLM encrypted with the key of an ephemeral identifier; decoded but not decrypted.
        case eddystoneEncryptedTLM(data: [UInt8], salt: UInt16, mic: UInt16)
        case eddystoneEID(identifier: [UInt8], power: Int)
    }

    /// The announced identity, the same under every address; nil for telemetry, which contains none.
    public var identity: String? {
        switch kind {
        case .iBeacon(let uuid, let major, let minor, _):
            "ibeacon:\(UUIDText.dashed(Hex.encode(uuid))):\(major):\(minor)"
        case .eddystoneUID(let namespace, let instance, _):
            "eddystone:\(Hex.encode(namespace)):\(Hex.encode(instance))"
        case .eddystoneURL(let url, _): "eddystone:\(url)"
        case .eddystoneEID(let identifier, _): "eid:\(Hex.encode(identifier))"
        case .eddystoneTLM, .eddystoneEncryptedTLM: nil
        }
    }

    /// The RSSI at 1 m in dBm, as announced by the beacon; nil for telemetry. That of Eddystone is 41 dB below the
    /// announced one at 0 m.
    public var power: Int? {
        switch kind {
        case .iBeacon(_, _, _, let power): power
        case .eddystoneUID(_, _, let power), .eddystoneURL(_, let power), .eddystoneEID(_, let power): power - 41
        case .eddystoneTLM, .eddystoneEncryptedTLM: nil
        }
    }
}
