public import EventSourcing
public import Events
public import Host
import JSON
package import Radio
public import Vocabulary
import Wire

/// The service that decodes radio input into events (reports, beacons, unreadable bytes) and raises alarms when values
/// exceed limits.
public struct SensorIngest: Service {
    public static let name = "sensor-ingest"
    public static let tables = [
        DeviceRow.schema, PointRow.schema, ScopeRulesRow.schema, RuleScopeRow.schema, AlarmRow.schema,
        AlarmHistoryRow.schema, ShelvedRow.schema, OnCallRow.schema, StoredGoodsRow.schema,
        PrunedRow.schema, ReportWindowRow.schema, ReceiverRow.schema, ClockRow.schema,
        DeviceMakeRow.schema, RefusedRow.schema, KeptAdvertRow.schema, UnreadDeviceRow.schema,
        RecordedValueRow.schema, CalibrationRow.schema, ZigBeeDeviceRow.schema, BeaconRegionRow.schema,
        RegionVisitRow.schema,
    ]

    /// Other slots send what their readers receive to slot 0.
    public static let allowedVerbs: [String: Set<String>] = [
        name: [ReceptionName.beaconsNear.rawValue]
    ]

    /// Whether this slot is the site's primary, slot 0: the single writer of points, rules and alarms.
    let isPrimary: Bool
    let origin: Origin
    var radios: [String: AttachedRadio] = [:]
    var brokers: [String: MQTTBroker] = [:]
    private(set) var pairing: Pairing
    private let decoders: Int
    private let layouts: [Layout]
    private var quarantine = Quarantine()
    private var memory = AlarmEvaluator.Memory()
    private var rebroadcasts = Rebroadcasts(most: SensorLimits.rebroadcasts)
    private var greeting = Greeting()
    /// The batches that wait for keys; nil once these were received, or were waited for in vain.
    private var early: EarlyBatches?
    var nearby = NearbyBeacons()
    var regions = RegionWatch()
    /// The wall-clock time of the last tick.
    private(set) var wall: Instant?
    private var retention: Retention
    private var storageLimiter = AdvertStorageLimiter()
    private var redecoding: Redecoding
    private var escalation = EscalationClock()
    private var silence = SilenceWatch()
    private let zones = ZoneCache()
    /// Returns so many random bytes, of which the key of a new network is made.
    private let random: @Sendable (Int) -> [UInt8]
    /// Whether the first step has passed on what the tables contain: makes to decoders, the newest report to brokers.
    private var hasBegun = false
    /// Whether alarms that no report can clear were looked for; journals of older versions may contain some.
    private var hasClearedOrphanedAlarms = false

    /// - Parameters:
    ///   - layouts: those of the farm's own ZigBee nodes, besides the known ones.
    ///   - decoders: The version of the advertisement decoders. Advertisements stored by an older version are decoded
    ///     again.
    ///   - awaitsKeys: Whether batches wait for the gateway's keys after the start.
    package init(
        slot: Int, origin: Origin, radios: [String], brokers: [BrokerSettings] = [], pairing: Pairing = Pairing(),
        layouts: [Layout] = [], retention: Retention, decoders: Int? = nil, awaitsKeys: Bool = false,
        random: @escaping @Sendable (Int) -> [UInt8]
    ) {
        self.random = random
        self.layouts = layouts
        early = awaitsKeys ? EarlyBatches() : nil
        self.retention = retention
        redecoding = Redecoding(
            origin: origin, decoder: AdvertisementDecoder(keys: pairing.keys),
            version: decoders ?? AdvertisementDecoder.version)
        self.decoders = decoders ?? AdvertisementDecoder.version
        isPrimary = slot == 0
        self.origin = origin
        self.pairing = pairing
        for name in radios { self.radios[name] = AttachedRadio(name, keys: pairing.keys, layouts: layouts) }
        for settings in brokers { self.brokers[settings.source] = MQTTBroker(settings, keys: pairing.keys) }
    }

    /// Only slot 0 projects and judges the reports of other slots, so the work of the others is independent of the slot
    /// count.
    public static func onlyWitnesses(_ origin: Origin) -> Bool { origin.slot > 0 }

    public static func fold(_ recorded: RecordedEvent, into tables: some Tables) {
        switch recorded.fact {
        case .sensors(let fact): SensorViews.apply(fact, recorded.envelope, to: tables)
        case .journal(.journalPruned(let pruned)): SensorViews.forget(pruned, recorded.envelope, in: tables)
        case .journal(.clockStepped(let step)) where step.seconds < 0:
            SensorViews.setBack(to: recorded.envelope.time, in: tables)
        case .journal(.clockTrusted(let mark)): SensorViews.mark(mark, recorded.envelope, in: tables)
        case .trace(.storageLimitsChanged(let event)): GoodsRules.apply(event, to: tables)
        case .inventory, .journal, .trace, .sync, .catalog, .orders, .recommendations: break
        }
    }

    public mutating func step(_ input: Input, at now: Instant, seeing tables: any Tables) -> [Effect] {
        if !hasBegun {
            for name in radios.keys { learnMakes(name, tables) }
            beginBrokers(at: now, tables)
            hasBegun = true
        }
        return switch input {
        case .opened(let source) where brokers[source] != nil: connected(source, at: now, tables)
        case .received(let source, let bytes) where brokers[source] != nil:
            received(bytes, fromBroker: source, at: now, tables)
        case .opened(let source): opened(source, at: now, tables)
        case .received(let source, let bytes): received(bytes, from: source, at: now, tables)
        case .ticked(let wall, let boot): tend(at: now, wall: wall, boot, tables)
        case .asked(let ask): early?.take(ask) == true ? [] : answer(ask, at: now, tables)
        case .heard(_, let events): judge(events, at: now, tables)
        case .answered(Retention.token, let outcome): retention.answered(outcome)
        case .answered(Pairing.token, let outcome): pair(outcome, at: now, tables)
        case .finished(Retention.token, let result): retention.scanned(result)
        case .answered, .requested, .finished: []
        }
    }

    /// Returns why a connected radio does not work, as a text for operators; nil while it works.
    public func trouble(of source: String) -> String? {
        guard let wall else { return nil }
        return radios[source]?.trouble(at: wall) ?? brokers[source]?.trouble(at: wall)
    }

    /// The connected radios of this process that do not work.
    private var silentRadios: [SilentRadio] {
        (radios.keys.sorted() + brokers.keys.sorted()).compactMap { source in
            trouble(of: source).map { SilentRadio(source: source, trouble: $0) }
        }
    }

    /// Starts a radio from scratch after its source was opened again: it may have lost power or been replaced.
    private mutating func opened(_ source: String, at now: Instant, _ tables: any Tables) -> [Effect] {
        guard let inputs = radios[source]?.end(at: now, wall: wall ?? now) else { return [] }
        radios[source] = AttachedRadio(source, keys: pairing.keys, layouts: layouts)
        learnMakes(source, tables)
        return take(inputs, from: source, at: now, tables)
    }

    /// Passes the stored device makes to a newly opened radio, which decodes by them, and the devices that joined.
    private mutating func learnMakes(_ source: String, _ tables: any Tables) {
        SensorViews.each(DeviceMakeRow.self, in: tables) { radios[source]?.learn($0) }
        guard radios[source]?.serial != nil else { return }
        SensorViews.each(ZigBeeDeviceRow.self, in: tables) { row in
            if row.source == source { radios[source]?.serial?.learn(row) }
        }
    }

    /// Decodes bytes of a radio; returns the events to append and the messages to send to it.
    private mutating func received(
        _ bytes: [UInt8], from source: String, at now: Instant, _ tables: any Tables
    ) -> [Effect] {
        guard var radio = radios[source] else { return [] }
        let output = radio.receive(bytes, at: now, wall: wall ?? now)
        radios[source] = radio
        return take(output, from: source, at: now, tables)
    }

    /// Returns the messages to send to a radio, and the events of what it produced.
    private mutating func take(
        _ output: RadioOutput, from source: String, at now: Instant, _ tables: any Tables
    ) -> [Effect] {
        output.orders.map { .send(source: source, bytes: $0.bytes) }
            + Self.appending(output.changes.map { $0.draft(of: source) })
            + take(output.inputs, from: source, at: now, tables)
    }

    private mutating func tend(
        at now: Instant, wall: Instant, _ boot: BootTime?, _ tables: any Tables
    ) -> [Effect] {
        self.wall = wall
        var effects: [Effect] = []
        let zoneOffset = Int(onCall(tables)?.clocks?.ahead(at: now) ?? 0)
        for name in radios.keys.sorted() {
            radios[name]?.serial?.zoneOffset = zoneOffset
            guard let output = radios[name]?.tend(at: now, wall: wall) else { continue }
            effects += take(output, from: name, at: now, tables)
            if output.isLost { effects.append(.close(source: name, why: "it does not answer any more")) }
        }
        effects += tendBrokers(at: now, wall: wall, tables)
        if early?.isOver(at: now) == true { effects += takeEarly(at: now, tables) }
        if isPrimary, !hasClearedOrphanedAlarms {
            effects += Self.appending(OrphanedAlarms(tables: tables).clearings(by: .service(Self.name)))
            hasClearedOrphanedAlarms = true
        }
        if isPrimary {
            let onCall = onCall(tables)
            effects += Self.appending(
                silence.due(at: now, troubles: Set(silentRadios.map(\.source)), onCall, tables)
                    + escalation.due(at: now, onCall, tables))
        }
        effects += redecode(at: now, tables)
        return effects + Self.appending(quarantine.due(at: wall))
            + greeting.due(at: now, from: origin, keys: pairing.digest)
            + tendBeacons(at: now, tables)
            + retain(at: now, wall: wall, boot, tables)
    }

    /// Returns the next step of retention. Does nothing on a machine without a clock that counts from its start.
    private mutating func retain(
        at now: Instant, wall: Instant, _ boot: BootTime?, _ tables: any Tables
    ) -> [Effect] {
        guard let boot else { return [] }
        return retention.tend(
            at: ClockReading(now: now, wall: wall, boot: boot),
            after: tables.get(PrunedRow.self, origin.description)?.last ?? 0,
            mark: tables.get(ClockRow.self, origin.description)?.mark)
    }

    /// Appends the reports that newer decoders read from the next page of stored advertisements.
    private mutating func redecode(at now: Instant, _ tables: any Tables) -> [Effect] {
        var effects: [Effect] = []
        for (kept, heard) in redecoding.next(tables) {
            var drafter = drafter(kept.source, at: now, tables, isJudged: false)
            drafter.add(kept, heard, decoders: decoders)
            effects += Self.appending(finish(drafter, at: now).drafts)
        }
        return effects
    }

    /// Appends the events of decoded inputs of one radio.
    private mutating func take(
        _ inputs: [RadioInput], from source: String, at now: Instant, _ tables: any Tables
    ) -> [Effect] {
        guard !inputs.isEmpty else { return [] }
        var drafter = drafter(source, at: now, tables)
        for input in inputs { drafter.add(input.decoded, of: input.excerpt, at: input.at) }
        let (drafts, notes) = finish(drafter, at: now)
        return Self.appending(drafts) + notes
    }

    private func evaluator(
        at now: Instant, _ tables: any Tables, heard: [RecordedEvent] = []
    ) -> AlarmEvaluator {
        AlarmEvaluator(tables, remembering: memory, onCall: onCall(tables), at: now, heard: heard)
    }

    /// Returns who is notified of alarms; nil if nothing is set.
    private func onCall(_ tables: any Tables) -> OnCall? {
        guard let setting = tables.get(OnCallRow.self, OnCallRow.key)?.setting else { return nil }
        return OnCall(setting, zone: zones.find)
    }

    func drafter(
        _ source: String, at now: Instant, _ tables: any Tables, isJudged: Bool = true
    ) -> EventDrafter {
        EventDrafter(
            tables, source: source, slot: origin.slot, at: now, rebroadcasts: rebroadcasts,
            storageLimiter: storageLimiter,
            evaluator: isPrimary && isJudged ? evaluator(at: now, tables) : nil)
    }

    /// Stores the drafter's state for the next input; returns its drafts, quarantine events that are due, and operator
    /// events.
    mutating func finish(_ drafter: EventDrafter, at now: Instant) -> (drafts: [Draft], notes: [Effect]) {
        rebroadcasts = drafter.rebroadcasts
        storageLimiter = drafter.storageLimiter
        nearby.note(drafter.currentBeacons)
        nearby.receive(drafter.receptions)
        if let evaluator = drafter.evaluator { memory = evaluator.memory }
        if let (event, time) = drafter.unreadable { quarantine.take(event, at: time) }
        var notes: [Effect] = []
        if drafter.unread > 0 { notes.append(.note(OperatorEvent("inputs_unreadable", count: drafter.unread))) }
        if drafter.refused > 0 { notes.append(.note(OperatorEvent("values_refused", count: drafter.refused))) }
        for (gap, count) in drafter.missed.sorted(by: { $0.key.rawValue < $1.key.rawValue }) {
            notes.append(.note(OperatorEvent("adverts_not_understood", count: count, labels: ["reason": gap.rawValue])))
        }
        if drafter.sealed > 0 { notes.append(.note(OperatorEvent("inputs_sealed", count: drafter.sealed))) }
        return (drafter.drafts + quarantine.due(at: wall ?? now), notes)
    }

    /// Passes new keys to all decoders, and decodes the stored advertisements of these devices again.
    private mutating func pair(_ outcome: RequestOutcome, at now: Instant, _ tables: any Tables) -> [Effect] {
        let before = pairing.keys
        if pairing.answered(outcome) {
            for name in radios.keys { radios[name]?.pair(pairing.keys) }
            for name in brokers.keys { brokers[name]?.pair(pairing.keys) }
            redecoding.pair(pairing.keys, newOf: Set(pairing.keys.filter { before[$0.key] != $0.value }.keys))
        }
        if case .answer = outcome { return takeEarly(at: now, tables) }
        return []
    }

    /// Takes the batches that have waited for keys.
    private mutating func takeEarly(at now: Instant, _ tables: any Tables) -> [Effect] {
        let requests = early?.requests ?? []
        early = nil
        return requests.flatMap { answer($0, at: now, tables) }
    }

    /// Evaluates alarms for other slots' reports and for goods in stores, received from the hub. Copies of a report
    /// that another slot recorded are skipped.
    private mutating func judge(_ events: [RecordedEvent], at now: Instant, _ tables: any Tables) -> [Effect] {
        var evaluator = evaluator(at: now, tables, heard: events)
        var drafts: [Draft] = []
        for recorded in events {
            guard case .sensors(.measured(let report)) = recorded.fact else { continue }
            guard !SensorViews.isCopy(report, recorded.envelope, tables) else { continue }
            drafts += evaluator.judge(report, at: recorded.envelope.time, id: recorded.envelope.id)
        }
        memory = evaluator.memory
        return Self.appending(drafts + GoodsConflictAlarm.drafts(after: events, now: now, onCall(tables), tables))
    }

    private mutating func answer(_ ask: Request, at now: Instant, _ tables: any Tables) -> [Effect] {
        do throws(Problem) {
            let body = try RequestBody(ask.body)
            if let query = SensorQueryName(rawValue: ask.verb) {
                return [.reply(ask, try queries(at: now, tables).answer(query, body))]
            }
            if let reception = ReceptionName(rawValue: ask.verb) {
                return try receive(reception, ask, body, at: now, tables)
            }
            guard let command = SensorCommandName(rawValue: ask.verb) else {
                throw Problem(404, "unknown-verb", "sensor-ingest does not know how to \(ask.verb).")
            }
            return try execute(command, ask, body, at: now, tables)
        } catch {
            return [.settle(ask, [], error.answer)]
        }
    }

    private func queries(at now: Instant, _ tables: any Tables) -> Queries {
        Queries(
            tables, at: now, radios: silentRadios, brokers: brokers.mapValues(\.status), onCall: onCall(tables),
            zigbee: isPrimary ? ZigBeeQueries(radios: radios, wall: wall ?? now) : nil)
    }

    private mutating func execute(
        _ command: SensorCommandName, _ ask: Request, _ body: RequestBody, at now: Instant, _ tables: any Tables
    ) throws(Problem) -> [Effect] {
        guard isPrimary else { throw .notPrimary }
        let settings = SensorSettings(tables: tables, ask: ask)
        let alarms = AlarmCommands(tables: tables, ask: ask, now: now, zone: zones.find)
        let regions = BeaconRegionCommands(tables: tables, ask: ask)
        let zigbee = ZigBeeCommands(tables: tables, ask: ask, wall: wall ?? now)
        return switch command {
        case .recordReadings: recordManually(ask, try RecordReadings(body), at: now, tables)
        case .bindPoint: Self.settling(ask, try settings.bind(BindPoint(body)))
        case .retirePoint: Self.settling(ask, try settings.retire(RetirePoint(body)))
        case .calibrateDevice: Self.settling(ask, try settings.calibrate(CalibrateDevice(body)))
        case .setRule: Self.settling(ask, try settings.set(SetRule(body)))
        case .acknowledgeAlarm: Self.settling(ask, try alarms.acknowledge(AcknowledgeAlarm(body)))
        case .shelveAlarm: Self.settling(ask, try alarms.shelve(ShelveAlarm(body)))
        case .setOnCall: Self.settling(ask, try alarms.setOnCall(SetOnCall(body)))
        case .setBeaconRegion: Self.settling(ask, try regions.set(SetBeaconRegion(body)))
        case .removeBeaconRegion: Self.settling(ask, try regions.remove(RemoveBeaconRegion(body)))
        case .formNetwork: try zigbee.form(FormNetwork(body), &radios, random)
        case .permitJoining: try zigbee.permit(PermitJoining(body), &radios)
        case .removeDevice: try zigbee.remove(RemoveDevice(body), &radios)
        case .backUpCoordinator: try zigbee.backUp(BackUpCoordinator(body), &radios)
        case .restoreCoordinator: try zigbee.restore(RestoreCoordinator(body), &radios, random)
        }
    }

    /// Handles `record-readings`: values that people read themselves.
    private mutating func recordManually(
        _ ask: Request, _ command: RecordReadings, at now: Instant, _ tables: any Tables
    ) -> [Effect] {
        var evaluator = evaluator(at: now, tables)
        let outcome = ManualReadingCommand(tables: tables, ask: ask, now: now).execute(command, &evaluator)
        memory = evaluator.memory
        return Self.settling(ask, outcome)
    }

    /// Handles a batch of received messages, or what a reader of another slot receives; throws a `Problem` if it cannot
    /// be read.
    private mutating func receive(
        _ name: ReceptionName, _ ask: Request, _ body: RequestBody, at now: Instant, _ tables: any Tables
    ) throws(Problem) -> [Effect] {
        let batch: IngestBatch
        switch name {
        case .ingestAdverts: batch = try IngestBatch(adverts: body)
        case .ingestValues: batch = try IngestBatch(reports: body)
        case .ingestCapture: batch = try IngestBatch(capture: body)
        case .beaconsNear:
            guard isPrimary else { throw .notPrimary }
            return try receive(beaconsOf: ask, body, at: now, tables)
        }
        var drafter = drafter(batch.source, at: now, tables)
        // Times in the future would make all current measurements look late.
        batch.decode(with: pairing) { decoded, excerpt, time in
            drafter.add(decoded, of: excerpt, at: min(time ?? now, now))
        }
        return settle(ask, drafter, at: now)
    }

    private mutating func settle(_ ask: Request, _ drafter: EventDrafter, at now: Instant) -> [Effect] {
        let (drafts, notes) = finish(drafter, at: now)
        return Self.settling(ask, (drafts, .made { drafter.write(to: &$0) })) + notes
    }
}
