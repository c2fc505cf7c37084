import Events
import Host
import JSON
import Testing
import Vocabulary

@testable import SensorIngest

@Suite("Announcements to Home Assistant")
struct AnnouncementTests {
    private static let start = Instant(microseconds: 1_780_000_000_000_000)
    private var announcement = HomeAssistantAnnouncement(prefix: "homeassistant", node: "furrow-farm")

    private func point(
        _ name: String = "cold_1", _ celsius: Double = 4.5, after seconds: Double = 0, patience: Double = 300,
        quantity: Quantity = .temperature
    ) -> AnnouncedPoint {
        AnnouncedPoint(
            point: PointID(name), title: "Cold store", maker: nil, model: nil, readings: [Reading(quantity, celsius)],
            last: Self.start.advanced(bySeconds: seconds), patience: patience, alarms: [])
    }

    private func topic(_ name: String, _ component: String = "sensor") -> String {
        "homeassistant/\(component)/furrow-farm/\(name)/config"
    }

    @Test mutating func `a point is announced once, and each report publishes its value once`() throws {
        let first = announcement.publish([point()], at: Self.start)
        #expect(
            first.map(\.topic) == [
                topic("cold_1_temperature"), topic("cold_1_alarm", "binary_sensor"), "furrow-farm/cold_1/alarm",
                "furrow-farm/cold_1/temperature",
            ])
        #expect(first.map(\.isRetained) == [true, true, false, false])
        let again = announcement.publish([point()], at: Self.start)
        #expect(again.isEmpty)
        let next = announcement.publish([point("cold_1", 5, after: 60)], at: Self.start.advanced(bySeconds: 60))
        #expect(next == [MQTTPublication(topic: "furrow-farm/cold_1/temperature", payload: Array("5.0".utf8))])
    }

    @Test mutating func `a value of the past is not published, also when Home Assistant starts`() throws {
        let late = Self.start.advanced(bySeconds: 301)
        let first = announcement.publish([point()], at: late)
        #expect(!first.contains { $0.topic == "furrow-farm/cold_1/temperature" })
        let isOwn = announcement.take("homeassistant/status", Array("online".utf8))
        let again = announcement.publish([point()], at: late)
        #expect(isOwn && again == first && again.count == 3)
    }

    @Test mutating func `an interval that varies does not announce a point again and again`() throws {
        var count = 0
        for number in 1...100 {
            let patience = 300 + Double(number % 7) * 40
            let point = point(after: Double(number) * 100, patience: patience)
            count += announcement.publish([point], at: Self.start).count { $0.topic.hasSuffix("_temperature/config") }
        }
        #expect(count <= 4)
        let rarer = announcement.publish([point(patience: 3600)], at: Self.start)
        #expect(rarer.contains { $0.topic == topic("cold_1_temperature") })
    }

    @Test mutating func `a point that is gone is withdrawn, also if another process has announced it`() throws {
        let isOwn = announcement.take(topic("old_point_humidity"), Array("{}".utf8))
        let isAnothers = announcement.take("homeassistant/sensor/another-farm/x_humidity/config", Array("{}".utf8))
        #expect(isOwn && !isAnothers)
        var withdrawn: [[MQTTPublication]] = []
        for points in [[point(), point("warm")], [point("warm")], [point("warm")]] {
            withdrawn.append(announcement.publish(points, at: Self.start).filter(\.payload.isEmpty))
        }
        #expect(withdrawn[0] == [MQTTPublication(topic: topic("old_point_humidity"), payload: [], isRetained: true)])
        #expect(
            withdrawn[1].map(\.topic) == [topic("cold_1_alarm", "binary_sensor"), topic("cold_1_temperature")])
        #expect(withdrawn[2].isEmpty)
    }

    @Test mutating func `a start of Home Assistant within a pass withdraws no point`() throws {
        _ = announcement.publish([point("a")], upTo: "a", at: Self.start)
        // The broker delivers this server's own announcement after Home Assistant's start.
        _ = announcement.take("homeassistant/status", Array("online".utf8))
        _ = announcement.take(topic("a_temperature"), Array("{}".utf8))
        let after = announcement.after
        let first = announcement.publish([point("a")], upTo: "a", at: Self.start)
        let second = announcement.publish([point("b")], at: Self.start)
        #expect(after == nil && announcement.after == nil)
        #expect(first.count == 4 && second.count == 4)
        #expect((first + second).allSatisfy { !$0.payload.isEmpty })
    }

    @Test func `what another farm server announces is no sensor of this one`() throws {
        var other = HomeAssistantAnnouncement(prefix: "homeassistant", node: "furrow-other")
        let broker = try TestBroker()
        for message in other.publish([point()], at: Self.start) where message.isRetained {
            try broker.publish(message.topic, String(decoding: message.payload, as: UTF8.self), retained: true)
        }
        broker.bench.sent = []
        try broker.publish("furrow-other/cold_1/temperature", "4.5")
        try broker.bench.take(.ticked(wall: broker.bench.now.advanced(bySeconds: 60)))
        #expect(try broker.bench.journal().allSatisfy { if case .measured = $0.fact { false } else { true } })
    }

    @Test mutating func `every reported quantity has an announcement that Home Assistant accepts`() throws {
        var count = 0
        for quantity in Quantity.reported {
            let told = announcement.publish([point("p", quantity: quantity)], at: Self.start)
            let configuration = try #require(told.first { $0.topic.contains("/p_\(quantity.rawValue)/") })
            let json = try JSONValue.parse(configuration.payload)
            let isState = [.contact, .leak].contains(quantity)
            #expect((json["unit_of_measurement"] == nil) == (isState || quantity == .ph || quantity == .count))
            #expect((json["state_class"] == nil) == isState)
            count += 1
        }
        #expect(count >= 40)
    }

    @Test func `a client id with other characters becomes a level of a topic`() {
        #expect(HomeAssistantAnnouncement.node("furrow farm/ü+#") == "furrow-farm-----")
    }
}
