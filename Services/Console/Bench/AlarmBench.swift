import System
import Vocabulary

/// Measures alarms in a whole farm server: the time from sending a report over HTTP to the hand-over on each channel,
/// one alarm after the other; then the memory of `sensor-ingest` with many measuring points and limits.
///
/// The receivers run in this process, on the same processors as the farm server.
struct AlarmBench {
    private let options: BenchOptions

    init(_ options: BenchOptions) {
        self.options = options
    }

    /// The time in seconds within which an alarm must have arrived everywhere.
    private static let patience = 30.0
    private static let places = 10
    /// Reports in one request.
    private static let batch = 500
    /// One of ten points has a limit of its own besides those of its place.
    private static let ownLimitEvery = 10
    static let service = "sensor-ingest/farm-0"

    func run() throws -> BenchResult {
        let sinks = try AlarmSinks()
        defer { sinks.stop() }
        let farm = try BenchFarm(options, settings: sinks.settings)
        defer { farm.stop() }
        try farm.people.post("/v1/farms", #"{"farm":"bench","title":"Bench","zone":"UTC"}"#)
        try sinks.subscribe(to: farm)
        let (channels, seconds) = try BenchCommand.timed { try raise(farm, sinks) }
        if options.points > 0 { try report(manyPoints: farm) }
        let peak = Machine.peakResidentBytes(of: try farm.process(of: Self.service))
        var result = BenchResult(bench: .alarm, events: options.events, seconds: seconds, peakRSSBytes: peak)
        result.channels = channels
        result.points = options.points
        return result
    }

    /// Returns the microseconds of each alarm on each channel.
    private func raise(
        _ farm: BenchFarm, _ sinks: AlarmSinks
    ) throws -> [(channel: AlarmSinks.Channel, latencies: [Int64])] {
        try store("alarms", in: farm)
        try farm.people.send(
            "PUT", "/v1/rules/bench", #"{"place":"store/alarms","quantity":"temperature","above":8}"#)
        var latencies: [AlarmSinks.Channel: [Int64]] = [:]
        var progress = Progress("alarms", of: options.events)
        for number in 0..<options.events {
            let point = "alarm-\(number)"
            try bind(point, Self.address(0xA0_0000_0000, number), at: "alarms", in: farm)
            try send([Self.advert(Self.address(0xA0_0000_0000, number), celsius: 4, counter: 0)], to: farm)
            // The server is idle again: what is measured does not wait for the preparation.
            try awaitReports(2 * number + 1, of: farm)
            let began = Clock.monotonicMicroseconds()
            try send([Self.advert(Self.address(0xA0_0000_0000, number), celsius: 9.5, counter: 1)], to: farm)
            for (channel, at) in try arrivals(of: point, sinks, since: began) {
                latencies[channel, default: []].append(at - began)
            }
            progress.reached(number + 1)
        }
        return AlarmSinks.Channel.allCases.map { ($0, latencies[$0, default: []]) }
    }

    /// Waits until an alarm has arrived on every channel. Throws if one is missing or has come twice.
    private func arrivals(
        of point: String, _ sinks: AlarmSinks, since began: Int64
    ) throws -> [AlarmSinks.Channel: Int64] {
        var found: [AlarmSinks.Channel: Int64] = [:]
        while found.count < AlarmSinks.Channel.allCases.count {
            guard Double(Clock.monotonicMicroseconds() - began) < Self.patience * 1_000_000 else {
                let missing = AlarmSinks.Channel.allCases.filter { found[$0] == nil }.map(\.rawValue)
                throw Refusal(
                    "The alarm of \(point) is missing on \(missing.joined(separator: ", ")) after \(Self.patience) s.")
            }
            for arrival in try sinks.wait(milliseconds: 100) {
                guard found[arrival.channel] == nil, arrival.point ?? point == point else {
                    throw Refusal("One alarm was notified of twice (\(arrival.channel.rawValue), \(point)).")
                }
                found[arrival.channel] = arrival.at
            }
        }
        return found
    }

    // MARK: Many points

    /// Binds the points in ten stores, each with three limits, and lets each report twice.
    private func report(manyPoints farm: BenchFarm) throws {
        for place in 0..<Self.places {
            try store("many-\(place)", in: farm)
            let limits = [
                ("warm", #""above":8,"below":0,"forSeconds":600"#), ("rise", #""above":3,"overMinutes":15"#),
                ("often", #""above":10,"reports":{"beyond":2,"of":3}"#),
            ]
            for (name, limit) in limits {
                try farm.people.send(
                    "PUT", "/v1/rules/many-\(place)-\(name)",
                    #"{"place":"store/many-\#(place)","quantity":"temperature",\#(limit)}"#)
            }
        }
        var progress = Progress("measuring points", of: options.points)
        for number in 0..<options.points {
            try bind(
                "many-\(number)", Self.address(0xB0_0000_0000, number), at: "many-\(number % Self.places)", in: farm)
            if number.isMultiple(of: Self.ownLimitEvery) {
                try farm.people.send(
                    "PUT", "/v1/rules/own-\(number)",
                    #"{"point":"many-\#(number)","quantity":"humidity","above":95}"#)
            }
            progress.reached(number + 1)
        }
        for turn in 0..<2 {
            for start in stride(from: 0, to: options.points, by: Self.batch) {
                let end = min(start + Self.batch, options.points)
                try send(
                    (start..<end).map { number in
                        Self.advert(Self.address(0xB0_0000_0000, number), celsius: 4, counter: turn)
                    }, to: farm)
            }
        }
        try awaitReports(2 * (options.events + options.points), of: farm)
    }

    /// Waits until the gateway shows so many reports.
    private func awaitReports(_ wanted: Int, of farm: BenchFarm) throws {
        let began = Clock.monotonicMicroseconds()
        while Double(Clock.monotonicMicroseconds() - began) < Self.patience * 10_000_000 {
            if try farm.people.reportsTaken() >= wanted { return }
            _ = try Poll.wait([], milliseconds: 20)
        }
        throw Refusal("\(wanted) reports were sent, and \(try farm.people.reportsTaken()) are recorded.")
    }

    // MARK: Requests

    private func store(_ name: String, in farm: BenchFarm) throws {
        try farm.people.post("/v1/stores", #"{"farm":"bench","store":"\#(name)","title":"\#(name)","cold":true}"#)
    }

    private func bind(_ point: String, _ address: String, at store: String, in farm: BenchFarm) throws {
        try farm.people.send(
            "PUT", "/v1/points/\(point)",
            #"{"title":"\#(point)","place":"store/\#(store)","device":"ble:\#(address)"}"#)
    }

    private func send(_ adverts: [String], to farm: BenchFarm) throws {
        try farm.people.post("/v1/adverts", #"{"source":"bench","adverts":[\#(adverts.joined(separator: ","))]}"#)
    }

    /// A Bluetooth address of 12 digits.
    static func address(_ base: Int, _ number: Int) -> String {
        Hex.encode(
            (0..<6).reversed().map { UInt8(truncatingIfNeeded: (0xC0_00_00_00_00_00 + base + number) >> ($0 * 8)) })
    }

    /// A Ruuvi packet in format 5 with a temperature; the other values are missing.
    static func advert(_ address: String, celsius: Double, counter: Int) -> String {
        let raw = Int((celsius / 0.005).rounded())
        let bytes: [UInt8] =
            [
                0x02, 0x01, 0x06, 0x1B, 0xFF, 0x99, 0x04, 0x05, UInt8(raw >> 8), UInt8(raw & 0xFF), 0xFF, 0xFF, 0xFF,
                0xFF,
            ]
            + [0x80, 0x00, 0x80, 0x00, 0x80, 0x00, 0xFF, 0xFF, 0xFF, UInt8(counter >> 8), UInt8(counter & 0xFF)]
        return #"{"address":"\#(address)","hex":"\#(Hex.encode(bytes))\#(address)","rssi":-70}"#
    }
}
