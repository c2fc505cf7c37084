import EventSourcing
import Host
import JSON
import Radio
import Vocabulary
import Wire

/// One reception of a beacon, or of any other Bluetooth device, by one reader.
struct BeaconReception {
    let reader: String
    /// The identity of the beacon; `ble:<address>` of a device that announces none.
    let beacon: String
    let rssi: Int
    let power: Int?
    let at: Instant
}

/// Telemetry of a beacon (Eddystone-TLM), which names it by its address only.
struct BeaconTelemetry: Equatable {
    let volts: Double?
    let celsius: Double?
}

/// What one reader receives in a second.
struct NearbyReading {
    let reader: String
    /// The identities of the beacons, the nearest first.
    let names: [String]
    let json: [UInt8]

    /// Returns the request that sends it to the gateway or another slot. A lost one is followed by the next second's.
    func request(_ name: some RequestName, to slot: String? = nil) -> Effect {
        .ask(
            OutgoingRequest(
                name, to: slot, body: json, actor: .service(SensorIngest.name), token: 0,
                seconds: 1))
    }
}

/// The beacons around each reader of this process. They are outside the journal: once a second, what each reader
/// receives is sent to the gateway, which shows it to people.
struct NearbyBeacons {
    private struct Reader {
        var ranging = BeaconRanging()
        /// Whether something was received since the last request.
        var hasChanged = true
        var at: Instant
    }

    private var readers: [String: Reader] = [:]
    /// The newest telemetry of each address, and the newest address of each identity. Both start afresh when full, and
    /// fill again with the next frames.
    private var telemetry: [DeviceID: BeaconTelemetry] = [:]
    private var addresses: [String: DeviceID] = [:]
    private var sent: Instant?

    /// Adds what a step has received. Receptions of one reader may be in any order.
    mutating func receive(_ receptions: [BeaconReception]) {
        for one in receptions.sorted(by: { $0.at < $1.at }) {
            guard readers[one.reader] != nil || readers.count < SensorLimits.readers else { continue }
            readers[one.reader, default: Reader(at: one.at)].ranging
                .receive(one.beacon, rssi: one.rssi, power: one.power, at: one.at)
            readers[one.reader]?.hasChanged = true
            readers[one.reader]?.at = one.at
        }
    }

    /// Notes the addresses of beacons, and the telemetry that was received from addresses.
    mutating func note(_ beacons: [Beacon]) {
        for beacon in beacons {
            if let identity = beacon.identity {
                if addresses.count >= SensorLimits.beaconTelemetry { addresses = [:] }
                addresses[identity] = beacon.device
            } else if case .eddystoneTLM(let volts, let celsius, _, _) = beacon.kind {
                if telemetry.count >= SensorLimits.beaconTelemetry { telemetry = [:] }
                telemetry[beacon.device] = BeaconTelemetry(volts: volts, celsius: celsius)
            }
        }
    }

    /// Returns what is due to be sent: once a second the beacons of each reader with a change, and a last time none for
    /// a reader that receives nothing any more.
    mutating func due(at now: Instant) -> [NearbyReading] {
        if let sent, (0..<1).contains(now.seconds(since: sent)) { return [] }
        sent = now
        var readings: [NearbyReading] = []
        for (name, reader) in readers.sorted(by: { $0.key < $1.key }) {
            var reader = reader
            let isGone = abs(now.seconds(since: reader.at)) > SensorLimits.readerSeconds
            guard reader.hasChanged || isGone else { continue }
            reader.hasChanged = false
            readings.append(reading(name, reader, isGone: isGone))
            readers[name] = isGone ? nil : reader
        }
        return readings
    }

    private func reading(_ name: String, _ reader: Reader, isGone: Bool) -> NearbyReading {
        let beacons = isGone ? [] : Array(reader.ranging.beacons(at: reader.at).prefix(SensorLimits.nearbyBeacons))
        var json = JSONWriter()
        json.object { json in
            json.field("reader", name)
            json.field("at", reader.at)
            if !isGone { json.field("nearest", ifPresent: reader.ranging.nearest) }
            json.field(
                "beacons",
                array: { json in
                    for beacon in beacons { json.object { write(beacon, &$0) } }
                })
        }
        return NearbyReading(reader: name, names: beacons.map(\.beacon), json: json.bytes)
    }

    private func write(_ one: RangedBeacon, _ json: inout JSONWriter) {
        json.field("beacon", one.beacon)
        json.field("rssi", Int(one.rssi.rounded()))
        json.field("metres", (one.metres * 100).rounded() / 100)
        json.field("proximity", one.proximity.rawValue)
        json.field("perSecond", (one.perSecond * 10).rounded() / 10)
        json.field("isFound", one.isFound)
        let measured = addresses[one.beacon].flatMap { telemetry[$0] }
        json.field("volts", ifPresent: measured?.volts)
        json.field("celsius", ifPresent: measured?.celsius)
    }
}

extension DecodedInput {
    /// Returns the receptions of Bluetooth devices in this input.
    func receptions(by reader: String, at time: Instant) -> [BeaconReception] {
        var receptions: [BeaconReception] = []
        func add(_ beacon: String, _ rssi: Int?, _ power: Int?) {
            guard let rssi else { return }
            receptions.append(BeaconReception(reader: reader, beacon: beacon, rssi: rssi, power: power, at: time))
        }
        for beacon in beacons {
            if let identity = beacon.identity { add(identity, beacon.rssi, beacon.power) }
        }
        for report in reports where report.device.rawValue.hasPrefix("ble:") {
            add(report.device.rawValue, report.rssi, nil)
        }
        for miss in misses where miss.advertisement.address != nil {
            add(miss.advertisement.device.rawValue, miss.advertisement.rssi, nil)
        }
        return receptions
    }
}
