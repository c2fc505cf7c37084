public import Vocabulary

/// The decoder of advertisements into reports and beacons.
///
/// It has no state besides its keys.
///
/// ```
/// let decoder = AdvertisementDecoder(keys: pairing.keys)
/// let decoded = decoder.decode(Advertisement(address: 0xC50D_FA99_CB9E, rssi: -70, data: bytes))
/// for report in decoded.reports { print(report.device, report.readings) }
/// ```
public struct AdvertisementDecoder: Sendable {
    /// 16-byte keys of devices that encrypt, by device (BTHome, MiBeacon).
    public var keys: [DeviceID: [UInt8]]
    /// The 16-byte key of every device without a key of its own.
    public var commonKey: [UInt8]?
    /// Whether unencrypted packets are accepted although there is a common key, because only some devices use it.
    public var commonKeyIsOfSome: Bool

    public init(keys: [DeviceID: [UInt8]] = [:], commonKey: [UInt8]? = nil, commonKeyIsOfSome: Bool = false) {
        self.keys = keys
        self.commonKey = commonKey
        self.commonKeyIsOfSome = commonKeyIsOfSome
    }

    public func decode(_ advertisement: Advertisement) -> DecodedInput {
        var decoded = DecodedInput()
        var structures = ADStructures(advertisement.data)
        while var structure = structures.next() {
            do throws(Malformed) {
                switch structure.type {
                case ADType.manufacturer:
                    let company = try structure.body.u16()
                    try decode(manufacturer: company, structure.body, advertisement, into: &decoded)
                case ADType.serviceData16:
                    let service = try structure.body.u16()
                    try decode(service: service, structure.body, advertisement, into: &decoded)
                default: break
                }
            } catch {
                decoded.note(error)
            }
        }
        return decoded
    }

    private func decode(
        manufacturer company: UInt16, _ body: ByteReader, _ advertisement: Advertisement,
        into decoded: inout DecodedInput
    ) throws(Malformed) {
        switch company {
        case Ruuvi.company:
            decoded.reports.append(try Ruuvi.read(body, device: advertisement.device, rssi: advertisement.rssi))
        case IBeacon.company:
            if let kind = IBeacon.read(body) { decoded.beacons.append(advertisement.beacon(kind)) }
        default: break
        }
    }

    private func decode(
        service: UInt16, _ body: ByteReader, _ advertisement: Advertisement, into decoded: inout DecodedInput
    ) throws(Malformed) {
        let sender = BluetoothSender(advertisement, self)
        switch service {
        case BTHome.service: decoded.append(try BTHome.read(body, sender))
        case BTHome.firstService: decoded.append(try BTHome.readFirst(body, sender))
        case BTHome.firstSealedService: decoded.append(try BTHome.readFirstSealed(body, sender))
        case MiBeacon.service: decoded.append(try MiBeacon.read(body, sender))
        case EnvironmentBroadcast.service:
            if let report = try EnvironmentBroadcast.read(body, sender) { decoded.reports.append(report) }
        case PlantSensor.service:
            if let report = try PlantSensor.read(body, sender) { decoded.reports.append(report) }
        case Eddystone.service:
            var frame = body
            let beacon = advertisement.beacon(try Eddystone.read(&frame))
            decoded.beacons.append(beacon)
            if let report = beacon.telemetry(fingerprint: body.rest) { decoded.reports.append(report) }
        default: break
        }
    }
}

extension Advertisement {
    fileprivate func beacon(_ kind: Beacon.Kind) -> Beacon { Beacon(device: device, kind: kind, rssi: rssi) }
}

extension Beacon {
    /// Returns the measurements that an Eddystone beacon makes of itself.
    fileprivate func telemetry(fingerprint: [UInt8]) -> Report? {
        guard case .eddystoneTLM(let volts, let celsius, let advertisements, _) = kind else { return nil }
        var report = Report(
            device: device, protocolName: "eddystone-tlm", repeats: .sequence, counter: UInt64(advertisements),
            fingerprint: fingerprint, rssi: rssi)
        if let celsius { report.add(.temperature, celsius) }
        if let volts { report.add(.voltage, volts) }
        return report
    }
}
