import JSON
import Testing
import Vocabulary

@testable import Radio

/// The outcome of one make's recorded packets.
private struct Score {
    var right = 0
    var wrong: [String] = []
    /// Packets of which nothing was decoded, although another decoder gives values.
    var notSupported = 0
    /// Packets without all of the other decoder's values.
    var partly = 0

    mutating func add(_ decoded: DecodedInput, _ expected: [Expected], _ what: String) {
        let ours = decoded.reports.flatMap(\.readings).filter { !$0.isDerived(expected) }
        let accelerations: Set<Quantity> = [.accelerationX, .accelerationY, .accelerationZ]
        if ours.isEmpty {
            if expected.contains(where: { !$0.isAbsentProbe }) { notSupported += 1 } else { right += 1 }
            return
        }
        for reading in ours where !accelerations.contains(reading.quantity) {
            guard let match = expected.first(where: { $0.place == reading.place }) else {
                return wrong.append("\(what): \(reading.quantity) \(reading.value) is not expected")
            }
            guard abs(match.value - reading.value) <= match.tolerance else {
                return wrong.append("\(what): \(reading.quantity) \(reading.value), expected \(match.value)")
            }
        }
        let places = Set(ours.map(\.place))
        let isComplete = expected.allSatisfy { value in
            // Another decoder computes percent from the volts.
            let isDerived = value.place.quantity == .battery && decoded.reports.contains { $0.value(.voltage) != nil }
            return places.contains(value.place) || value.isAbsentProbe || isDerived
        }
        if isComplete { right += 1 } else { partly += 1 }
    }
}

private struct Place: Hashable {
    var quantity: Quantity
    var channel: Int
}

/// A value that another decoder gives.
private struct Expected {
    var place: Place
    var value: Double
    var tolerance = 0.00501
    /// Whether it may be another decoder's zero for a probe that is not connected.
    var isAbsentProbe = false

    /// Returns nil for names that are no measured value, such as the limit of an alarm.
    init?(_ name: String, _ value: Double, all names: [String]) {
        self.value = value
        let words = name.replacing(" ", with: "_").split(separator: "@").map(String.init)
        var channel = words.last == "remote" ? 2 : 1
        var name = words[0]
        if name.contains("probe_"), !name.contains("alarm"), let last = name.last?.wholeNumberValue {
            channel = last
            if name.hasPrefix("internal_temperature") { channel = 2 * last - 1 }
            if name.hasPrefix("ambient_temperature") {
                channel = 2 * last
                // Another decoder cuts it to whole degrees.
                tolerance = 1
            }
            isAbsentProbe = value == 0
            name =
                name.contains("temperature") && !name.contains("center") && !name.contains("end_")
                ? "temperature" : name.hasPrefix("humidity") ? "humidity" : name
        } else if name == "temperature", names.contains("temperature_probe_1") || names.contains("temperature probe 1")
        {
            channel = 2
        }
        let known: [String: Quantity] = [
            "temperature": .temperature, "humidity": .humidity, "battery": .battery, "pressure": .pressure,
            "illuminance": .illuminance, "dewpoint": .dewPoint, "carbon_dioxide": .co2, "co2": .co2, "pm25": .pm25,
            "pm2.5": .pm25, "pm10": .pm10, "power": .power, "energy": .energy,
        ]
        guard let quantity = known[name] else { return nil }
        place = Place(quantity: quantity, channel: channel)
    }
}

extension DecodedReading {
    fileprivate var place: Place { Place(quantity: quantity, channel: channel) }

    /// Whether another decoder gives another measure of the battery.
    fileprivate func isDerived(_ expected: [Expected]) -> Bool {
        (quantity == .voltage || quantity == .battery) && !expected.contains { $0.place.quantity == quantity }
    }
}

@Suite("Recorded packets of many makes")
struct MakerVectorTests {
    /// The least number of packets that are decoded completely, by file.
    @Test(arguments: [
        ("govee", 56), ("inkbird", 30), ("sensorpush", 10), ("thermopro", 15), ("qingping", 13),
    ])
    func `no value of a make differs from what its independent decoder gives`(_ make: String, _ floor: Int) throws {
        guard let lines = try Vectors.lines("ble/\(make).jsonl") else { return }
        var score = Score()
        for line in lines {
            let members = try #require(line[path: "expected", "values"]).members
            let names = members.map(\.0)
            let expected = members.compactMap { name, value in
                value.number.flatMap { Expected(name, $0, all: names) }
            }
            let address = line[path: "input", "address"]?.string?.replacing(":", with: "") ?? ""
            let decoded = AdvertisementDecoder().decode(
                Advertisement(
                    address: UInt64(address, radix: 16), rssi: -60, data: line["ad_hex"]?.hexBytes ?? []))
            score.add(decoded, expected, "\(make) \(line["ad_hex"]?.string ?? "")")
        }
        report([make: score])
        #expect(score.right >= floor)
    }

    @Test func `no value of a whole packet differs from what another gateway gives`() throws {
        guard let lines = try Vectors.lines("ble/hci-ble_monitor.jsonl") else { return }
        let floors = [
            "bluemaestro": 2, "govee": 14, "inkbird": 7, "inode": 2, "jaalee": 4, "kkm": 2, "qingping": 10,
            "sensirion": 2, "sensorpush": 2, "switchbot": 3, "teltonika": 7, "thermopro": 2,
        ]
        var scores: [String: Score] = [:]
        for line in lines {
            let make = String(line["format"]?.string?.dropFirst(4) ?? "")
            guard floors[make] != nil else { continue }
            let packet = try HCIPacket(try #require(line["hex"]?.hexBytes))
            let advertisement = try #require(packet.advertisements.first)
            let members = (line[path: "expected", "sensor"] ?? .null).members
            let names = members.map(\.0)
            var expected = members.compactMap { name, value in
                value.number.flatMap { Expected(name, $0, all: names) }
            }
            if members.contains(where: { $0 == ("sensor id", .integer(1)) }) {
                for index in expected.indices { expected[index].place.channel = 2 }
            }
            scores[make, default: Score()].add(
                AdvertisementDecoder().decode(advertisement), expected, "\(make) \(line["hex"]?.string ?? "")")
        }
        report(scores)
        for (make, floor) in floors { #expect(scores[make]?.right ?? 0 >= floor, "\(make)") }
    }

    private func report(_ scores: [String: Score]) {
        for (make, score) in scores.sorted(by: { $0.key < $1.key }) {
            print(
                "\(make): \(score.right) right, \(score.wrong.count) wrong, \(score.partly) partly, "
                    + "\(score.notSupported) not supported")
            for wrong in score.wrong { Issue.record("\(wrong)") }
        }
    }
}
