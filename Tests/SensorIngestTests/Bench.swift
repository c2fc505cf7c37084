import EventSourcing
import EventStore
import Events
import Host
import JSON
import Radio
import TestKit
import Testing
import Vocabulary
import Wire

@testable import SensorIngest

/// One in-memory ingest process, with a virtual clock and a record of the effects that it produced.
final class Bench {
    private(set) var core: ServiceRuntime<SensorIngest>
    let clock = VirtualClock()
    private(set) var orders: [ZNPMessage] = []
    private(set) var notes: [OperatorEvent] = []
    /// The bytes sent to the broker, and why its connection was closed.
    var sent: [UInt8] = []
    private(set) var closings: [String] = []
    private let brokers: [BrokerSettings]
    private var asks: UInt64 = 0

    static let line = "znp:/dev/ttyTEST"

    /// - Parameter before: The events that the journal already contains.
    init(
        slot: Int = 0, source: String = Bench.line, before: [any Event] = [], brokers: [BrokerSettings] = [],
        decoders: Int = AdvertisementDecoder.version, awaitsKeys: Bool = false
    ) throws {
        self.brokers = brokers
        let origin = Origin(service: SensorIngest.name, site: "farm", slot: slot)
        let log = try MemoryLog(feed: origin.description, why: "test", at: clock.now, chance: .seeded(UInt64(slot)))
        _ = try log.stage(Commit(before.map { Draft($0, in: "test", by: .service("test")) }), at: clock.now)
        try log.commit()
        let tables = try MemoryTables(Folding<SensorIngest>.schemas)
        let folding = Folding<SensorIngest>(of: origin.description, into: tables)
        for entry in try log.reader().entries(from: 1, through: log.head.position) {
            try folding.fold(entry) { _, _, _ in [] }
        }
        core = ServiceRuntime(
            service: SensorIngest(
                slot: slot, origin: origin, radios: [source], brokers: brokers, retention: .unlimited,
                decoders: decoders, awaitsKeys: awaitsKeys, random: Self.random), log: log, tables: tables)
    }

    /// The random numbers of the tests: 1, 2, 3 …
    private static let random: @Sendable (Int) -> [UInt8] = { Array(1...UInt8($0)) }

    /// Replaces the process by another one, which rebuilds its tables from the journal.
    func restart() throws {
        let log = core.log
        let tables = try MemoryTables(Folding<SensorIngest>.schemas)
        let folding = Folding<SensorIngest>(of: log.head.feed, into: tables)
        for entry in try log.reader().entries(from: 1, through: log.head.position) {
            try folding.fold(entry) { _, _, _ in [] }
        }
        let origin = try #require(Origin(log.head.feed))
        core = ServiceRuntime(
            service: SensorIngest(
                slot: origin.slot, origin: origin, radios: [Self.line], brokers: brokers, retention: .unlimited,
                random: Self.random),
            log: log, tables: tables)
    }

    var now: Instant { clock.now }

    /// Processes an input and commits. Returns the responses.
    @discardableResult
    func take(_ input: Input) throws -> [Response] {
        try core.take(input, at: now)
        return try release()
    }

    /// Sends a request. Returns the response's status and JSON.
    @discardableResult
    func ask(_ verb: String, _ body: String, key: String? = nil) throws -> (status: Int, json: JSONValue) {
        asks += 1
        let ask = Request(
            id: asks, verb: verb, body: Array(body.utf8), actor: .person(PersonID("p1")), key: key ?? "key-\(asks)",
            entropy: Array(repeating: UInt8(truncatingIfNeeded: asks), count: 16))
        let answer = try #require(try take(.asked(ask)).first, "no response to \(verb)")
        return (answer.status, try JSONValue.parse(answer.body))
    }

    func hear(_ bytes: [UInt8]) throws {
        try take(.received(source: Self.line, bytes: bytes))
    }

    /// Returns a batch of one Ruuvi packet (data format 5) with this temperature and number; the other values are "not
    /// available".
    static func ruuvi(
        _ celsius: Double, _ number: UInt8, from address: String, at time: Instant, rssi: Int = -70
    ) -> String {
        let raw = UInt16(bitPattern: Int16((celsius / 0.005).rounded()))
        let packet =
            "0201061bff990405" + Hex.encode([UInt8(raw >> 8), UInt8(raw & 0xFF)]) + "ffffffff800080008000ffffff"
            + Hex.encode([0, number]) + address
        let colons = stride(from: 0, to: 12, by: 2).map { address.dropFirst($0).prefix(2) }.joined(separator: ":")
        return "{\"adverts\":[{\"address\":\"\(colons)\",\"hex\":\"\(packet)\",\"rssi\":\(rssi),"
            + "\"at\":\"\(time)\"}]}"
    }

    /// Advances the clock in ticks of 100 ms.
    func wait(seconds: Double) throws {
        for _ in 0..<max(1, Int((seconds * 10).rounded())) {
            clock.advance(bySeconds: 0.1)
            try take(.ticked(wall: now))
        }
    }

    /// Advances the clock, with a tick every half minute.
    func pass(seconds: Double) throws {
        for _ in 0..<Int(seconds / 30) {
            clock.advance(bySeconds: 29.95)
            try wait(seconds: 0.1)
        }
    }

    /// Delivers another slot's journal, as the hub does.
    func hear(from other: Bench) throws {
        let entries = try other.core.log.reader().entries(from: 1, through: other.core.log.head.position)
        try core.consume(Page(head: other.core.log.head, entries: entries), at: now)
        try release()
    }

    /// Returns the messages sent to the coordinator since the last call.
    func takeOrders() -> [ZNPMessage] {
        defer { orders = [] }
        return orders
    }

    /// Returns the sensor events of the journal, decoded from its bytes.
    func journal() throws -> [(envelope: Envelope, fact: SensorsEvent)] {
        try core.log.reader().entries(from: 1, through: core.log.head.position).compactMap { entry in
            let told = try RecordedEvent(reading: entry.bytes)
            guard case .sensors(let fact) = told.fact else { return nil }
            return (told.envelope, fact)
        }
    }

    func measured() throws -> [Measured] {
        try journal().compactMap { if case .measured(let event) = $0.fact { event } else { nil } }
    }

    func raws() throws -> [RawReported] {
        try journal().compactMap { if case .rawReported(let event) = $0.fact { event } else { nil } }
    }

    func quarantined() throws -> [Quarantined] {
        try journal().compactMap { if case .quarantined(let event) = $0.fact { event } else { nil } }
    }

    func identified() throws -> [DeviceIdentified] {
        try journal().compactMap { if case .deviceIdentified(let event) = $0.fact { event } else { nil } }
    }

    func refused() throws -> [ValuesRefused] {
        try journal().compactMap { if case .valuesRefused(let event) = $0.fact { event } else { nil } }
    }

    func kept() throws -> [AdvertKept] {
        try journal().compactMap { if case .advertKept(let event) = $0.fact { event } else { nil } }
    }

    func decoded() throws -> [AdvertDecoded] {
        try journal().compactMap { if case .advertDecoded(let event) = $0.fact { event } else { nil } }
    }

    /// Returns the digests of tables rebuilt from the journal, or from what a prune retains of it, and of the live
    /// tables.
    func rebuilt(with others: [Bench] = [], without gone: Set<Position> = []) throws -> (
        anew: [TableDigest], live: [TableDigest]
    ) {
        let tables = try MemoryTables(Folding<SensorIngest>.schemas)
        let folding = Folding<SensorIngest>(of: core.log.head.feed, into: tables)
        for entry in try core.log.reader().entries(from: 1, through: core.log.head.position) {
            let left =
                gone.contains(entry.position) ? Entry(position: entry.position, hash: entry.hash, bytes: []) : entry
            try folding.fold(left) { feed, checkpoint, last in
                guard let other = others.first(where: { $0.core.log.head.feed == feed }) else { return [] }
                return try other.core.log.reader().entries(from: (checkpoint?.position ?? 0) + 1, through: last)
            }
        }
        return (try tables.digests(), try core.tables.digests())
    }

    @discardableResult
    private func release() throws -> [Response] {
        var answers: [Response] = []
        for effect in try core.commit() {
            switch effect {
            case .reply(_, let answer): answers.append(answer)
            case .send(let source, let bytes) where source.hasPrefix("mqtt:"): sent += bytes
            case .close(_, let why): closings.append(why)
            case .send(let source, let bytes):
                #expect(source == Self.line)
                var parser = UNPIParser()
                orders += try parser.feed(bytes).map { try ZNPMessage($0) }
            case .note(let note): notes.append(note)
            default: break
            }
        }
        return answers
    }
}
