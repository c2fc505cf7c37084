import EventSourcing
import Events
import JSON
import Radio
import Vocabulary
import Wire

/// Drafts the events of decoded inputs: each report once, with the alarms that follow from it.
struct EventDrafter {
    private(set) var drafts: [Draft] = []
    private let tables: any Tables
    /// The receiver of the inputs that are added next.
    var source: String
    /// Whether the inputs that are added next are evaluated for alarms.
    var isJudged = true
    private(set) var evaluator: AlarmEvaluator?
    /// The first unreadable input, with the number of others.
    private(set) var unreadable: (event: Quarantined, time: Instant)?
    /// The number of inputs that are encrypted with an unknown key.
    private(set) var sealed = 0
    private var sealedFrames = 0
    /// The stored reports, including those of this drafter.
    private var reports: StoredReports
    private(set) var rebroadcasts: Rebroadcasts
    /// How the next report of each device is named, and the time of its newest report.
    private var names: [DeviceID: (names: ReportNames, newest: Instant?)] = [:]
    /// The number of advertisements that gave nothing, by reason.
    private(set) var missed: [UndecodedReason: Int] = [:]
    /// The number of implausible values.
    private(set) var refused = 0
    private(set) var storageLimiter: AdvertStorageLimiter
    private let now: Instant
    /// The makes that devices reported in this step, not yet in a table.
    private var makes: [DeviceID: DeviceMakeRow] = [:]
    private let slot: Int
    private var measurements: [(id: UUID, device: DeviceID)] = []
    private var raws = 0
    private var beacons = 0
    private var known = 0
    private(set) var unread = 0
    /// The current receptions of Bluetooth devices, and the beacons among them.
    private(set) var receptions: [BeaconReception] = []
    private(set) var currentBeacons: [Beacon] = []

    /// - Parameter watch: The evaluator of alarms; nil if another slot evaluates them.
    init(
        _ tables: any Tables, source: String, slot: Int, at now: Instant, rebroadcasts: Rebroadcasts,
        storageLimiter: AdvertStorageLimiter, evaluator: AlarmEvaluator?
    ) {
        self.tables = tables
        self.now = now
        self.storageLimiter = storageLimiter
        self.source = source
        self.slot = slot
        self.rebroadcasts = rebroadcasts
        reports = .deciding(tables)
        self.evaluator = evaluator
    }

    /// Adds the events of one decoded input; `excerpt` is its raw bytes.
    mutating func add(_ heard: DecodedInput, of excerpt: QuarantinedBytes, at time: Instant) {
        for report in heard.reports { add(report, at: time) }
        for raw in heard.raws { add(raw, at: time) }
        for beacon in heard.beacons { add(beacon, at: time) }
        for problem in heard.problems { quarantine(problem.description, excerpt, at: time) }
        sealed += heard.sealed.count
        // Frames of ZigBee have no advertisement that could be decoded again.
        if heard.misses.isEmpty { sealedFrames += heard.sealed.count }
        for miss in heard.misses { keep(miss, at: time) }
        if (0..<SensorLimits.rangingSeconds).contains(now.seconds(since: time)) {
            receptions += heard.receptions(by: source, at: time)
            currentBeacons += heard.beacons
        }
    }

    /// Adds the events of a message that the broker has sent before: a report that was recorded after `earliest` keeps
    /// the time of its first reception, by which it is recognised however late it is sent again.
    mutating func addAgain(
        _ heard: DecodedInput, of excerpt: QuarantinedBytes, at time: Instant, recordedAfter earliest: Instant
    ) {
        var rest = heard
        rest.reports = []
        add(rest, of: excerpt, at: time)
        for report in heard.reports {
            let reception = Reception(Receiver(source, slot: slot), at: time)
            let first = reports.firstReception(
                report.repeatKey, before: reception, seconds: SensorLimits.reportDays * 86_400)
            add(report, at: first.flatMap { $0 >= earliest ? $0 : nil } ?? time)
        }
    }

    /// Counts an advertisement that gave nothing, and stores it if its device and hour have none yet.
    private mutating func keep(_ miss: UndecodedAdvertisement, at time: Instant) {
        missed[miss.gap, default: 0] += 1
        if let draft = storageLimiter.draft(miss, from: source, at: time, now: now, tables) { drafts.append(draft) }
    }

    /// Adds the reports that newer decoders read from a stored advertisement.
    ///
    /// The ids of the reports derive from the event that stored the advertisement. They raise no alarm, because they
    /// are not current.
    mutating func add(_ kept: KeptAdvertRow, _ heard: DecodedInput, decoders: Int) {
        for (number, report) in heard.reports.enumerated() {
            let id = UUID.named("decoded|\(kept.event)|\(number)", in: .furrow)
            add(report, at: kept.at, id: id, causation: kept.event)
        }
        let event = AdvertDecoded(device: kept.device, heard: kept.at, decoders: decoders)
        let id = UUID.named("advert-decoded|\(kept.event)", in: .furrow)
        drafts.append(
            Draft(event, in: "device/\(kept.device)", id: id, by: .service(SensorIngest.name), causation: kept.event))
    }

    /// Adds the report as `Measured`, and its implausible values as `ValuesRefused`. A report in which every value is
    /// "not available" adds nothing.
    private mutating func add(
        _ report: Report, at time: Instant, id given: UUID? = nil, causation: UUID? = nil
    ) {
        identify(report, at: time)
        let (readings, values, excess) = report.judged
        refused += excess
        guard !readings.isEmpty || !values.isEmpty,
            isNew(report.repeatKey, rssi: report.rssi, lqi: report.lqi, at: time)
        else { return }
        guard !readings.isEmpty else {
            // It takes no report name: names count what is stored as `Measured`.
            let id = UUID.named("\(report.device)|\(Hex.encode(report.fingerprint))|\(time)", in: .furrow)
            return refuse(values, of: report, at: time, id: id, causation: causation)
        }
        // Also if the id is given: each stored report takes the next name.
        let name = self.id(report.repeatKey, report.protocolName, time)
        let id = given ?? name
        if !values.isEmpty { refuse(values, of: report, at: time, id: id, causation: causation) }
        let event = Measured(
            device: report.device, format: report.protocolName, readings: readings,
            source: source, counter: report.counter, rssi: report.rssi, lqi: report.lqi,
            repeats: Int(report.repeats.rawValue), payload: Hex.encode(report.fingerprint))
        measurements.append((id, report.device))
        drafts.append(
            Draft(
                event, in: "device/\(report.device)", id: id, at: time, by: .node(report.device),
                causation: causation))
        if isJudged { drafts += evaluator?.judge(event, at: time, id: id) ?? [] }
    }

    private mutating func refuse(
        _ values: [RefusedValue], of report: Report, at time: Instant, id: UUID, causation: UUID?
    ) {
        refused += values.count
        let event = ValuesRefused(
            device: report.device, format: report.protocolName, values: values, source: source,
            payload: Hex.encode(report.fingerprint))
        drafts.append(
            Draft(
                event, in: "device/\(report.device)", id: .named("refused|\(id)", in: .furrow), at: time,
                by: .node(report.device), causation: causation))
    }

    /// Adds a `DeviceIdentified` event if the report names a make that is not yet known.
    private mutating func identify(_ report: Report, at time: Instant) {
        guard report.maker != nil || report.model != nil, report.device.isLasting else { return }
        let known =
            makes[report.device] ?? tables.get(DeviceMakeRow.self, report.device.rawValue)
            ?? DeviceMakeRow(report.device)
        let event = DeviceIdentified(
            device: report.device, maker: report.maker?.prefix(bytes: SensorLimits.makeBytes),
            model: report.model?.prefix(bytes: SensorLimits.makeBytes), source: source)
        var row = known
        row.take(event)
        guard row.maker != known.maker || row.model != known.model else { return }
        makes[report.device] = row
        drafts.append(Draft(event, in: "device/\(report.device)", at: time, by: .node(report.device)))
    }

    private mutating func add(_ raw: RawReport, at time: Instant) {
        guard isNew(raw.repeatKey, rssi: raw.rssi, lqi: raw.lqi, at: time) else { return }
        raws += 1
        let event = RawReported(
            device: raw.device, profile: Int(raw.profile ?? 0), cluster: Int(raw.cluster), endpoint: Int(raw.endpoint),
            counter: raw.tsn.map(UInt64.init), payload: Hex.encode(raw.payload), source: source)
        drafts.append(
            Draft(
                event, in: "device/\(raw.device)", id: id(raw.repeatKey, "raw", time), at: time,
                by: .node(raw.device)))
    }

    /// Adds a beacon, once a minute at most.
    private mutating func add(_ beacon: Beacon, at time: Instant) {
        guard let identity = beacon.identity else { return }
        let key = BeaconKey.of(identity, at: time)
        let window = reports.window(StoredReports.number(of: time), of: key.device)
        guard let minute = key.counter, window?.holds(counter: minute) != true else { return }
        reports.record(key, Reception(Receiver(source, slot: slot), at: time))
        beacons += 1
        let id = UUID.named("beacon|\(identity)|\(BeaconKey.minute(time))", in: .furrow)
        let event = BeaconHeard(
            beacon: identity, device: beacon.device, rssi: beacon.rssi, power: beacon.power, source: source)
        drafts.append(Draft(event, in: "beacon/\(identity)", id: id, at: time, by: .node(beacon.device)))
    }

    /// Quarantines an input that is in a supported format but could not be decoded.
    private mutating func quarantine(_ reason: String, _ excerpt: QuarantinedBytes, at time: Instant) {
        unread += 1
        if unreadable == nil {
            let event = Quarantined(
                source: source, reason: reason, length: excerpt.length, bytes: Hex.encode(excerpt.bytes))
            unreadable = (event, time)
        } else {
            unreadable?.event.others += 1
        }
    }

    /// Returns whether the report is new. If another receiver reported it first, adds a `ReportHeard` event for this
    /// reception.
    private mutating func isNew(_ key: RepeatKey, rssi: Int?, lqi: Int?, at time: Instant) -> Bool {
        let reception = Reception(Receiver(source, slot: slot), at: time)
        guard !rebroadcasts.isRebroadcast(key, reception) else {
            known += 1
            return false
        }
        guard let match = reports.find(key, reception) else {
            reports.record(key, reception)
            return true
        }
        known += 1
        guard !match.isRepetition, reports.record(reception, of: match, key.device) else { return false }
        let event = ReportHeard(
            device: key.device, report: match.firstHeard, source: source, counter: key.counter, rssi: rssi, lqi: lqi,
            repeats: Int(key.rule.rawValue), payload: Hex.encode(key.payload))
        drafts.append(Draft(event, in: "device/\(key.device)", at: time, by: .node(key.device)))
        return false
    }

    /// Returns the id of a new report, from its device, device epoch and number within the epoch. A receiver's time is
    /// no part of it.
    private mutating func id(_ key: RepeatKey, _ format: String, _ time: Instant) -> UUID {
        var entry = names[key.device] ?? stored(key.device)
        let isNewest = entry.newest.map { time > $0 } ?? true
        let number = entry.names.next(key.longCounter, isNewest: isNewest, slot: slot)
        if isNewest { entry.newest = time }
        names[key.device] = entry
        let counter = key.counter.map(String.init) ?? "-"
        return .named("\(key.device)|\(format)|\(counter)|\(Hex.encode(key.payload))|\(number)", in: .furrow)
    }

    private func stored(_ device: DeviceID) -> (names: ReportNames, newest: Instant?) {
        let row = DeviceRow.row(device, in: tables)
        return (row.names, row.last)
    }

    /// Writes the outcome of a batch: counts, and the ids of its first measurements.
    func write(to json: inout JSONWriter) {
        json.field(
            "accepted",
            array: { json in
                for (id, device) in measurements.prefix(SensorLimits.accepted) {
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
        json.field("refused", refused)
        for gap in UndecodedReason.allCases {
            json.field(gap.rawValue, (missed[gap] ?? 0) + (gap == .encrypted ? sealedFrames : 0))
        }
    }
}

extension Report {
    /// The report's plausible readings, its implausible values, and the number of those beyond `SensorLimits.values`. A
    /// value of an unsupported probe is implausible.
    fileprivate var judged: (readings: [Events.Reading], values: [RefusedValue], excess: Int) {
        var believed: [Events.Reading] = []
        var values: [RefusedValue] = []
        believed.reserveCapacity(readings.count)
        for reading in readings + rejected {
            let quantity = reading.quantity.of(channel: reading.channel)
            let reason = reading.doubt?.rawValue ?? (quantity == nil ? "no-such-channel" : nil)
            if let reason {
                let value = reading.value.isFinite ? reading.value : nil
                values.append(RefusedValue(quantity ?? reading.quantity, value, because: reason))
            } else if let quantity {
                believed.append(Events.Reading(quantity, reading.value))
            }
        }
        let most = SensorLimits.values
        let excess = max(0, believed.count - most) + max(0, values.count - most)
        return (Array(believed.prefix(most)), Array(values.prefix(most)), excess)
    }
}
