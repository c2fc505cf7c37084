import Crypto
import EventSourcing
import EventStore
import Events
import Host
import JSON
import TestKit
import Testing
public import Vocabulary

@testable import TraceLedger

/// An in-memory ledger with a virtual clock, and the journals of a sensor-ingest that it subscribes to.
final class Ledger {
    private(set) var core: ServiceRuntime<TraceLedger>
    let archive: PlaceholderArchive
    let clock = VirtualClock()
    let labelKey: P256Key
    /// The journals of two slots of sensor-ingest, and the position up to which the hub has read each.
    let sensors: [MemoryLog]
    private var heard: [Position] = [0, 0]
    /// The positions of each journal that were pruned since.
    var prunedPositions: [Set<Position>] = [[], []]
    private var asks: UInt64 = 0

    static let kid = "AB2C"
    static let device = DeviceID("ble:c50dfa99cb9e")

    init(publicURL: String? = "https://trace.farm.test") throws {
        let key = try P256Key(scalar: Array(repeating: 7, count: 32))
        let origin = Origin(service: TraceLedger.name, site: "farm", slot: 0)
        let log = try MemoryLog(feed: origin.description, why: "test", at: clock.now, chance: .seeded(1))
        labelKey = key
        archive = PlaceholderArchive(log)
        core = ServiceRuntime(
            service: TraceLedger(
                printer: LabelPrinter(
                    kid: Self.kid, publicKey: key.publicKey, publicURL: publicURL, sign: { try key.sign($0) }),
                archive: archive, zones: Zones()),
            log: log, tables: try MemoryTables(Folding<TraceLedger>.schemas))
        sensors = try [0, 1].map { [now = clock.now] slot in
            try MemoryLog(feed: "sensor-ingest/farm-\(slot)", why: "test", at: now, chance: .seeded(2 + UInt64(slot)))
        }
        try core.take(.ticked(wall: clock.now), at: clock.now)
        _ = try core.commit()
    }

    /// Returns a ledger with a farm, two plots and two stores.
    static func farm(publicURL: String? = "https://trace.farm.test") throws -> Ledger {
        let ledger = try Ledger(publicURL: publicURL)
        try ledger.done("found-farm", #"{"farm":"f1","title":"Sunny Hill","zone":"Europe/Vienna","country":"AT"}"#)
        try ledger.done("lay-out-plot", #"{"farm":"f1","plot":"p1","title":"North field","areaSquareMetres":1200}"#)
        try ledger.done("lay-out-plot", #"{"farm":"f1","plot":"p2","title":"South field"}"#)
        try ledger.done("open-store", #"{"farm":"f1","store":"s1","title":"Cold store","cold":true}"#)
        try ledger.done("open-store", #"{"farm":"f1","store":"s2","title":"Barn"}"#)
        return ledger
    }

    var now: Instant { clock.now }

    func at(days: Double) -> Instant { now.advanced(bySeconds: days * 86_400) }

    func pass(days: Double) { clock.advance(bySeconds: days * 86_400) }

    /// Advances the clock by an hour, with a tick.
    func passHour() throws { try tick(after: 3601) }

    /// Advances the clock, with a tick.
    func tick(after seconds: Double) throws {
        clock.advance(bySeconds: seconds)
        try core.take(.ticked(wall: now), at: now)
        _ = try core.commit()
    }

    /// Replaces the process by another one with the same journal and tables.
    func restart() {
        let service = TraceLedger(printer: core.service.printer, archive: archive, zones: Zones())
        core = ServiceRuntime(service: service, log: core.log, tables: core.tables)
    }

    /// Sends a request and commits. Returns the response's status and JSON.
    @discardableResult
    func ask(_ verb: String, _ body: String = "{}", key: String? = nil) throws -> (status: Int, json: JSONValue) {
        asks += 1
        var random = SplitMix64(seed: asks)
        let ask = Request(
            id: asks, verb: verb, body: Array(body.utf8), actor: .person(PersonID("anna")), key: key ?? "key-\(asks)",
            entropy: random.bytes(16))
        try core.take(.asked(ask), at: now)
        let answers = try core.commit().compactMap { effect in
            if case .reply(_, let answer) = effect { answer } else { nil }
        }
        let answer = try #require(answers.first, "nobody answered \(verb)")
        return (answer.status, try JSONValue.parse(answer.body))
    }

    /// Sends a request and expects that it succeeds. Returns the response's JSON.
    @discardableResult
    func done(
        _ verb: String, _ body: String = "{}", sourceLocation: SourceLocation = #_sourceLocation
    ) throws -> JSONValue {
        let (status, json) = try ask(verb, body)
        let detail: String? = try json.find("detail")
        #expect((200...299).contains(status), "\(verb): \(detail ?? "")", sourceLocation: sourceLocation)
        return json
    }

    /// Sends a request and expects problem details (RFC 9457). Returns status and code.
    func refusal(_ verb: String, _ body: String) throws -> String {
        let head = core.log.head.position
        let (status, json) = try ask(verb, body)
        let code: String = try json.get("title")
        #expect(try json.get("type", as: String.self) == "urn:furrow:problem:\(code)")
        #expect(try json.get("status", as: Int.self) == status)
        #expect(try json.get("detail", as: String.self).last == "." || code == "malformed")
        #expect(core.log.head.position == head, "a refusal wrote something")
        return "\(status) \(code)"
    }

    /// Records an event in a journal of sensor-ingest, and delivers it through the hub.
    func hear(
        _ event: any Event, in stream: String = "test", at time: Instant? = nil, id: UUID? = nil, slot: Int = 0,
        farm: FarmID? = nil,
        as told: (Entry) -> Entry = { $0 }
    ) throws {
        let draft = Draft(event, in: stream, id: id, at: time ?? now, farm: farm, by: .service("sensor-ingest"))
        let log = sensors[slot]
        _ = try log.stage(Commit([draft]), at: now)
        try log.commit()
        let entries = try log.reader().entries(from: heard[slot] + 1, through: log.head.position).map(told)
        try core.consume(Page(head: log.head, entries: entries), at: now)
        _ = try core.commit()
        heard[slot] = log.head.position
    }

    func bind(_ place: String, device: DeviceID = device, point: String = "m1") throws {
        let place = try #require(Place(place))
        try hear(PointBound(point: PointID(point), title: "Point", place: place, device: device))
    }

    /// Delivers an event of a device that the ledger cannot decode, so that it is parked.
    func receiveUndecodable(of device: DeviceID = device) throws {
        let event = BeaconHeard(beacon: "b", device: device, source: "test")
        try hear(event, in: "device/\(device)") { entry in
            let text = String(decoding: entry.bytes, as: UTF8.self)
            let bytes = Array(text.replacing(BeaconHeard.name, with: "farm.furrow.sensors.riddle.v1").utf8)
            return Entry(position: entry.position, hash: entry.hash, bytes: bytes)
        }
    }

    func measure(_ celsius: Double, at time: Instant? = nil, device: DeviceID = device) throws {
        try hear(
            Measured(
                device: device, format: "test", readings: [Reading(.temperature, celsius)], source: "test", repeats: 5,
                payload: ""), at: time)
    }

    /// Returns the newest passport of a lot after a refresh.
    func passport(_ lot: String) throws -> JSONValue {
        clock.advance(bySeconds: LedgerLimits.passportSeconds + 1)
        let event: UUID = try done("refresh-passport", #"{"lot":"\#(lot)"}"#).get("event")
        let issued = try #require(try passports().first { $0.id == event })
        var json = JSONWriter()
        issued.event.passport.write(to: &json)
        return try JSONValue.parse(json.bytes)
    }

    func passports() throws -> [(id: UUID, event: PassportIssued, bytes: [UInt8])] {
        try core.log.reader().entries(from: 1, through: core.log.head.position).compactMap { entry in
            let told = try RecordedEvent(reading: entry.bytes)
            guard case .trace(.passportIssued(let event)) = told.fact else { return nil }
            return (told.envelope.id, event, entry.bytes)
        }
    }

    /// Returns the digests of tables rebuilt from the journal, and of the live ones.
    func rebuilt() throws -> (anew: [TableDigest], live: [TableDigest]) {
        (try folded(by: TraceLedger.self, without: prunedPositions), try core.tables.digests())
    }

    /// Returns the digests of tables rebuilt from the journals without some of the slots' events.
    func folded<S: Service>(by service: S.Type, without gone: [Set<Position>]) throws -> [TableDigest] {
        let tables = try MemoryTables(Folding<S>.schemas)
        let folding = Folding<S>(of: core.log.head.feed, into: tables)
        for entry in try core.log.reader().entries(from: 1, through: core.log.head.position) {
            try folding.fold(entry) { feed, checkpoint, last in
                let slot = try #require(sensors.firstIndex { $0.head.feed == feed })
                let entries = try sensors[slot].reader().entries(from: (checkpoint?.position ?? 0) + 1, through: last)
                return entries.map {
                    gone[slot].contains($0.position) ? Entry(position: $0.position, hash: $0.hash, bytes: []) : $0
                }
            }
        }
        return try tables.digests()
    }
}

extension JSONValue {
    /// Returns the text of one member of every item in a list.
    func texts(_ list: String, _ member: String) throws -> [String] {
        try (self[list]?.array.map { Array($0) } ?? []).map { try $0.get(member) }
    }

    func items(_ list: String) -> [JSONValue] {
        self[list]?.array.map { Array($0) } ?? []
    }
}

extension ID: ExpressibleByUnicodeScalarLiteral {}
extension ID: ExpressibleByExtendedGraphemeClusterLiteral {}
extension ID: ExpressibleByStringLiteral {
    public init(stringLiteral text: String) { self.init(text) }
}
