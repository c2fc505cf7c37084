import EventSourcing
import Events
import Radio
import Vocabulary
import Wire

/// The rule for storing advertisements that were not understood: one per device and hour, of a limited number of
/// devices per hour. The others are only counted.
struct AdvertStorageLimiter {
    private var hour: Int64 = 0
    private var devices: Set<DeviceID> = []

    /// Returns the event that stores an advertisement; nil if it is not to be stored or its device and hour already
    /// have one.
    ///
    /// - Parameter now: The time of reception by this process's clock; it limits what is written per hour.
    mutating func draft(
        _ miss: UndecodedAdvertisement, from source: String, at time: Instant, now: Instant, _ tables: any Tables
    ) -> Draft? {
        let advertisement = miss.advertisement
        let device = advertisement.device
        guard device.isLasting, !advertisement.isPrivateAddress,
            advertisement.data.count <= SensorLimits.keptAdvertBytes,
            tables.get(KeptAdvertRow.self, KeptAdvertRow.key(device, time)) == nil
        else { return nil }
        // The device's values are already read, so its other frames are of no interest.
        if miss.gap == .unsupported, tables.get(DeviceRow.self, device.rawValue)?.last != nil { return nil }
        let current = now.microseconds / 3_600_000_000
        if current != hour { (hour, devices) = (current, []) }
        guard devices.contains(device) || devices.count < SensorLimits.keptDevices else { return nil }
        devices.insert(device)
        let event = AdvertKept(
            device: device, reason: miss.gap.rawValue, detail: miss.detail, decoders: AdvertisementDecoder.version,
            data: Hex.encode(advertisement.data), source: source, rssi: advertisement.rssi)
        // The id depends on device and hour only, so that two slots that receive the device write the same one.
        let id = UUID.named("advert|\(KeptAdvertRow.key(device, time))", in: .furrow)
        return Draft(event, in: "device/\(device)", id: id, at: time, by: .node(device))
    }
}

extension Advertisement {
    /// Whether the address is private and changes every few minutes (Bluetooth Core, volume 6, part B, 1.3.2). It
    /// identifies no device for long.
    fileprivate var isPrivateAddress: Bool {
        guard isRandomAddress, let address else { return false }
        return address >> 46 != 3
    }
}
