/// Identifiers of further probes of a device, which can measure at another point: `ble:c50dfa99cb9e#2`.
extension DeviceID {
    /// Returns the identifier of a probe; the first one has the device's own.
    public func probe(_ channel: Int) -> DeviceID {
        channel == 1 ? self : DeviceID("\(rawValue)#\(channel)")
    }

    /// The device of a probe; itself if this identifies no probe.
    public var device: DeviceID {
        guard let end = rawValue.utf8.lastIndex(of: UInt8(ascii: "#")) else { return self }
        return DeviceID(String(rawValue[..<end]))
    }
}
