import EventSourcing
import Events
import Radio
import Vocabulary
import Wire

/// Decides which of the advertisements that were not understood are kept: one for each device and hour, and in any hour
/// those of so many devices at most. The others are counted.
struct AdvertKeeping {
    private var hour: Int64 = 0
    private var devices: Set<DeviceID> = []

    /// The event that keeps an advertisement, unless one of its device and hour is kept already.
    ///
    /// - Parameter now: when the receiver's clock says the advertisement came in; bounds what one hour can write.
    mutating func draft(
        _ miss: AdvertMiss, from source: String, at time: Instant, now: Instant, _ tables: any Tables
    ) -> Draft? {
        let advertisement = miss.advertisement
        let device = advertisement.device
        guard device.isLasting, !advertisement.isPrivateAddress,
            advertisement.data.count <= SensorLimits.keptAdvertBytes,
            tables.get(KeptAdvertRow.self, KeptAdvertRow.key(device, time)) == nil
        else { return nil }
        // Other frames of a device whose values are read are of no interest.
        if miss.gap == .unsupported, tables.get(DeviceRow.self, device.rawValue)?.last != nil { return nil }
        let current = now.microseconds / 3_600_000_000
        if current != hour { (hour, devices) = (current, []) }
        guard devices.contains(device) || devices.count < SensorLimits.keptDevices else { return nil }
        devices.insert(device)
        let event = AdvertKept(
            device: device, reason: miss.gap.rawValue, detail: miss.detail, decoders: AdvertisementDecoder.version,
            data: Hex.encode(advertisement.data), source: source, rssi: advertisement.rssi)
        // Whichever slot hears it first, a device's advertisement of an hour has one id.
        let id = UUID.named("advert|\(KeptAdvertRow.key(device, time))", in: .furrow)
        return Draft(event, in: "device/\(device)", id: id, at: time, by: .node(device))
    }
}

extension Advertisement {
    /// Whether the address is one that changes every few minutes (Bluetooth Core, volume 6, part B, 1.3.2): it names no
    /// device for long.
    fileprivate var isPrivateAddress: Bool {
        guard isRandomAddress, let address else { return false }
        return address >> 46 != 3
    }
}
