/// A second probe of a device can measure at a point of its own: `ble:c50dfa99cb9e#2` names it.
extension DeviceID {
    /// The name of one probe of this device; the first one has the device's own name.
    public func probe(_ channel: Int) -> DeviceID {
        channel == 1 ? self : DeviceID("\(rawValue)#\(channel)")
    }

    /// The device that a probe belongs to; itself where this names no probe.
    public var device: DeviceID {
        guard let end = rawValue.utf8.lastIndex(of: UInt8(ascii: "#")) else { return self }
        return DeviceID(String(rawValue[..<end]))
    }
}
