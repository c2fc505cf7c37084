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
                case ADType.manufacturer: try decode(manufacturer: structure.body, advertisement, into: &decoded)
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

    /// Decodes manufacturer data by its company's number, or else by the name and the services of its sender.
    ///
    /// Some makes send a value instead of the number, so that it may be that of another company by chance.
    private func decode(
        manufacturer data: ByteReader, _ advertisement: Advertisement, into decoded: inout DecodedInput
    ) throws(Malformed) {
        var body = data
        let company = try body.u16()
        do throws(Malformed) {
            if try decode(company: company, body, advertisement, into: &decoded) { return }
        } catch {
            guard let report = try identified(data, advertisement) else { throw error }
            decoded.reports.append(report)
            return
        }
        if let report = try identified(data, advertisement) { decoded.reports.append(report) }
    }

    /// Decodes data of a company. Returns false if it is in no known format of the company.
    private func decode(
        company: UInt16, _ body: ByteReader, _ advertisement: Advertisement, into decoded: inout DecodedInput
    ) throws(Malformed) -> Bool {
        let report: Report?
        switch company {
        case Ruuvi.company:
            decoded.reports.append(try Ruuvi.read(body, device: advertisement.device, rssi: advertisement.rssi))
            return true
        case IBeacon.company:
            guard let kind = IBeacon.read(body) else { return false }
            report = try BeaconSensors.read(kind, body, BluetoothSender(advertisement, self))
            if report == nil { decoded.beacons.append(advertisement.beacon(kind)) }
            guard report != nil else { return true }
        case Aranet.company: report = try Aranet.read(body, BluetoothSender(advertisement, self))
        case BlueMaestro.company: report = try BlueMaestro.read(body, BluetoothSender(advertisement, self))
        case ELA.company: report = try ELA.read(body, BluetoothSender(advertisement, self))
        case Inkbird.company: report = try Inkbird.readLong(body, BluetoothSender(advertisement, self))
        case Inkbird.monitorCompany: report = try Inkbird.readMonitor(body, BluetoothSender(advertisement, self))
        case Mopeka.company: report = try Mopeka.read(body, BluetoothSender(advertisement, self))
        case Sensirion.company: report = try Sensirion.read(body, BluetoothSender(advertisement, self))
        case TeltonikaEYE.company: report = try TeltonikaEYE.read(body, BluetoothSender(advertisement, self))
        case TuyaBroadcast.company: throw TuyaBroadcast.sealed(at: body.offset)
        default:
            guard INode.isCompany(company) else { return false }
            report = try INode.read(company, body, BluetoothSender(advertisement, self))
        }
        guard let report else { return false }
        decoded.reports.append(report)
        return true
    }

    /// Decodes manufacturer data of a make that is identified by name or service; `data` begins at the company's
    /// number. Returns nil if the make is unknown, or if the newest of several structures is unknown.
    private func identified(_ data: ByteReader, _ advertisement: Advertisement) throws(Malformed) -> Report? {
        // Most packets of phones and computers have no room for a name or a list of services beside the data.
        guard advertisement.data.count - data.remaining - ADStructures.header >= AdvertisedIdentity.least else {
            return nil
        }
        let identity = AdvertisedIdentity(advertisement.data)
        guard let maker = identity.maker, identity.payloads <= 1 else { return nil }
        let sender = BluetoothSender(advertisement, self)
        return switch maker {
        case .govee: try Govee.read(data, identity, sender)
        case .inkbird: try Inkbird.read(data, identity, sender)
        case .sensorPush: try SensorPush.read(data, identity, sender)
        case .thermoPro: try ThermoPro.read(data, identity.name, sender)
        }
    }

    private func decode(
        service: UInt16, _ body: ByteReader, _ advertisement: Advertisement, into decoded: inout DecodedInput
    ) throws(Malformed) {
        let sender = BluetoothSender(advertisement, self)
        let report: Report?
        switch service {
        case BTHome.service: return decoded.append(try BTHome.read(body, sender))
        case BTHome.firstService: return decoded.append(try BTHome.readFirst(body, sender))
        case BTHome.firstSealedService: return decoded.append(try BTHome.readFirstSealed(body, sender))
        case MiBeacon.service: return decoded.append(try MiBeacon.read(body, sender))
        case Qingping.service: return decoded.append(try Qingping.read(body, sender))
        case EnvironmentBroadcast.service: report = try EnvironmentBroadcast.read(body, sender)
        case PlantSensor.service:
            report = try PlantSensor.read(body, sender)
            if report == nil { throw TuyaBroadcast.sealed(at: body.offset) }
        case Eddystone.service where body.peek() == KSensor.frame: report = try KSensor.read(body, sender)
        case Eddystone.service:
            var frame = body
            let beacon = advertisement.beacon(try Eddystone.read(&frame))
            decoded.beacons.append(beacon)
            report = beacon.telemetry(fingerprint: body.rest)
        case SwitchBot.service, SwitchBot.firstService:
            let maker = ADStructures.manufacturerData(of: SwitchBot.company, in: advertisement.data)
            report = try SwitchBot.read(body, maker: maker, sender)
        case BeaconSensors.jaaleeServices.0, BeaconSensors.jaaleeServices.1:
            report = try BeaconSensors.jaalee(body, sender)
        case ELA.temperature, ELA.humidity: report = try ELA.read(service: service, body, sender)
        case Minew.service: report = try Minew.read(body, sender)
        case Mokosmart.service: report = try Mokosmart.read(body, sender)
        case NodOn.service: report = try NodOn.read(body, sender)
        case TuyaBroadcast.service: throw TuyaBroadcast.sealed(at: body.offset)
        default: return
        }
        if let report { decoded.reports.append(report) }
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
