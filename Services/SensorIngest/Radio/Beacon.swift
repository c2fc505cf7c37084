public import Vocabulary

/// A transmitter that says who it is rather than what it measures.
public struct Beacon: Hashable, Sendable {
    /// The address it was heard under, which beacons may change at will: `kind` says who it is.
    public var device: DeviceID
    public var kind: Kind
    public var rssi: Int?

    public init(device: DeviceID, kind: Kind, rssi: Int? = nil) {
        self.device = device
        self.kind = kind
        self.rssi = rssi
    }

    /// Which format it speaks, with what that says.
    public enum Kind: Hashable, Sendable {
        /// Apple's format; `power` is the signal strength at 1 m in dBm.
        case iBeacon(uuid: [UInt8], major: UInt16, minor: UInt16, power: Int)
        /// Eddystone-UID; `power` is the signal strength at 0 m in dBm (about 41 dB above that at 1 m).
        case eddystoneUID(namespace: [UInt8], instance: [UInt8], power: Int)
        case eddystoneURL(url: String, power: Int)
        /// Eddystone-TLM: volts, °C, advertisements since start, seconds since start. It names nobody: tie it to
        /// the other frames of the same address.
        case eddystoneTLM(volts: Double?, celsius: Double?, advertisements: UInt32, seconds: Double)
        /// Eddystone-TLM under the key of an ephemeral identifier; read but not deciphered.
        case eddystoneEncryptedTLM(data: [UInt8], salt: UInt16, mic: UInt16)
        case eddystoneEID(identifier: [UInt8], power: Int)
    }

    /// Who the beacon says it is, the same under every address; nil for telemetry, which names nobody.
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
}
