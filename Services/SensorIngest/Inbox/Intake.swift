import EventSourcing
import Events
import JSON
import Radio
import Vocabulary
import Wire

/// Turns what was heard into drafts: each report once, with the alarms that follow from it.
struct Intake {
    private(set) var drafts: [Draft] = []
    private let tables: any Tables
    private let source: String
    private(set) var watch: Watch?
    /// What could not be read: the first of it, and how many others there were.
    private(set) var unreadable: (event: Quarantined, time: Instant)?
    /// Inputs that lie under a key nobody here has.
    private(set) var sealed = 0
    private var beaconsSeen: Set<UUID> = []
    /// What the slot remembers of devices, to tell their repeats.
    private(set) var repeats: RepeatFilter
    private let slot: Int
    private var measurements: [(id: UUID, device: DeviceID)] = []
    private var raws = 0
    private var beacons = 0
    private var known = 0
    private(set) var unread = 0

    /// `watch` judges what is heard; nil where another slot does.
    init(_ tables: any Tables, source: String, slot: Int, repeats: RepeatFilter, watch: Watch?) {
        self.tables = tables
        self.source = source
        self.slot = slot
        self.repeats = repeats
        self.watch = watch
    }

    /// Adds what one input told; `excerpt` is the input itself.
    mutating func add(_ heard: Heard, of excerpt: Excerpt, at time: Instant) {
        for report in heard.reports { add(report, of: excerpt, at: time) }
        for raw in heard.raws { add(raw, at: time) }
        for beacon in heard.beacons { add(beacon, at: time) }
        for problem in heard.problems { quarantine(problem.description, excerpt, at: time) }
        sealed += heard.sealed.count
    }

    private mutating func add(_ report: Report, of excerpt: Excerpt, at time: Instant) {
        // A sensor that says "no value" says nothing; one whose values cannot be is not believed, and not forgotten.
        let doubted = (report.readings + report.rejected).filter { $0.doubt != nil }
        guard report.readings.contains(where: { $0.channel == 1 && $0.doubt == nil }) else {
            if let first = doubted.first { quarantine("\(first.quantity.rawValue) that cannot be", excerpt, at: time) }
            return
        }
        guard isNews(report.repeatKey, at: time) else { return }
        let event = Measured(
            device: report.device, format: report.protocolName,
            readings: report.readings.filter { $0.channel == 1 && $0.doubt == nil }.map {
                Events.Reading($0.quantity, $0.value)
            },
            source: source, counter: report.counter, rssi: report.rssi, lqi: report.lqi,
            repeats: Int(report.repeats.rawValue), payload: Hex.encode(report.fingerprint))
        let id = Self.id(report.repeatKey, report.protocolName, time)
        measurements.append((id, report.device))
        drafts.append(Draft(event, in: "device/\(report.device)", id: id, at: time, by: .node(report.device)))
        drafts += watch?.judge(event, at: time, id: id) ?? []
    }

    private mutating func add(_ raw: RawReport, at time: Instant) {
        guard isNews(raw.repeatKey, at: time) else { return }
        raws += 1
        let event = RawReported(
            device: raw.device, profile: Int(raw.profile ?? 0), cluster: Int(raw.cluster), endpoint: Int(raw.endpoint),
            counter: raw.tsn.map(UInt64.init), payload: Hex.encode(raw.payload), source: source)
        drafts.append(
            Draft(
                event, in: "device/\(raw.device)", id: Self.id(raw.repeatKey, "raw", time), at: time,
                by: .node(raw.device)))
    }

    /// One fact a beacon and minute.
    private mutating func add(_ beacon: Beacon, at time: Instant) {
        guard let identity = beacon.identity else { return }
        let id = UUID.named("beacon|\(identity)|\(time.microseconds / 60_000_000)", in: .furrow)
        guard beaconsSeen.insert(id).inserted else { return }
        beacons += 1
        let event = BeaconHeard(
            beacon: identity, device: beacon.device, rssi: beacon.rssi, power: beacon.power, source: source)
        drafts.append(Draft(event, in: "beacon/\(identity)", id: id, at: time, by: .node(beacon.device)))
    }

    /// What claimed to be something we read and could not be read is kept, to be looked at.
    private mutating func quarantine(_ reason: String, _ excerpt: Excerpt, at time: Instant) {
        unread += 1
        if unreadable == nil {
            let event = Quarantined(
                source: source, reason: reason, length: excerpt.length, bytes: Hex.encode(excerpt.bytes))
            unreadable = (event, time)
        } else {
            unreadable?.event.others += 1
        }
    }

    private mutating func isNews(_ key: RepeatKey, at time: Instant) -> Bool {
        if repeats[key.device] == nil {
            repeats[key.device] = tables.get(DeviceRow.self, key.device.rawValue)?.memory
        }
        let isNews = repeats.admits(key, at: time, by: slot)
        if !isNews { known += 1 }
        return isNews
    }

    /// The same packet heard at the same time is the same event, whoever heard it.
    private static func id(_ key: RepeatKey, _ format: String, _ time: Instant) -> UUID {
        let counter = key.counter.map(String.init) ?? "-"
        return .named("\(key.device)|\(format)|\(counter)|\(Hex.encode(key.payload))|\(time)", in: .furrow)
    }

    /// What became of a batch; the first of its measurements by name, and how many there were.
    func write(to json: inout JSONWriter) {
        json.field(
            "accepted",
            array: { json in
                for (id, device) in measurements.prefix(Bounds.accepted) {
                    json.object { json in
                        json.field("id", id)
                        json.field("device", device)
                    }
                }
            })
        json.field("measurements", measurements.count)
        json.field("raw", raws)
        json.field("beacons", beacons)
        json.field("known", known)
        json.field("unreadable", unread)
    }
}

extension Beacon {
    /// RSSI at one metre, as the beacon says it.
    fileprivate var power: Int? {
        switch kind {
        case .iBeacon(_, _, _, let power): power
        case .eddystoneUID(_, _, let power), .eddystoneURL(_, let power), .eddystoneEID(_, let power): power - 41
        case .eddystoneTLM, .eddystoneEncryptedTLM: nil
        }
    }
}
