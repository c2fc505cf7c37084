import EventSourcing
import Events
import Host
import JSON
import Radio
import TestKit
import Testing
import Vocabulary

@testable import SensorIngest

@Suite("Messages of a broker")
struct BrokerTests {
    private let topic = "zigbee2mqtt/cold store"
    private let device = DeviceID("zb:00124b001e17efa8")

    private func state(_ celsius: Double, _ humidity: Double, seen: Instant? = nil) -> String {
        let time = seen.map { #","last_seen":"\#($0)""# } ?? ""
        return #"{"temperature":\#(celsius),"humidity":\#(humidity),"linkquality":90\#(time)}"#
    }

    @Test func `a message is acknowledged in the step that records it, after its events`() throws {
        let broker = try TestBroker()
        try broker.list()
        _ = broker.takeAcknowledged()
        let number = try broker.publish(topic, state(4.5, 80))
        #expect(try broker.readings() == [[Reading(.temperature, 4.5), Reading(.humidity, 80)]])
        #expect(broker.takeAcknowledged() == [number])
        let measured = try #require(try broker.bench.measured().first)
        #expect(measured.device == device && measured.lqi == 90 && measured.source == "mqtt/zigbee2mqtt")
        #expect(try broker.bench.identified().map(\.model) == ["lumi.weather"])
    }

    @Test func `a message that is sent again is one reading, also after a kill and hours later`() throws {
        let broker = try TestBroker()
        try broker.list()
        let first = try broker.publish(topic, state(4.5, 80))
        let second = try broker.publish(topic, state(5, 80))
        _ = broker.takeAcknowledged()
        try broker.restart()
        try broker.bench.wait(seconds: 1)
        broker.bench.clock.advance(bySeconds: 5 * 3600)
        try broker.list()
        try broker.publish(topic, state(4.5, 80), number: first, again: true)
        try broker.publish(topic, state(5, 80), number: second, again: true)
        #expect(try broker.bench.measured().count == 2)
        #expect(broker.takeAcknowledged().suffix(2) == [first, second])
        let tables = try broker.bench.rebuilt()
        #expect(tables.anew == tables.live)
    }

    @Test func `a message that was sent but not recorded before a kill is recorded when it is sent again`() throws {
        let broker = try TestBroker()
        try broker.list()
        try broker.publish(topic, state(4.5, 80))
        try broker.restart()
        try broker.list()
        try broker.publish(topic, state(4.75, 80), number: 900, again: true)
        #expect(try broker.bench.measured().count == 2)
    }

    @Test func `messages with the same values are two readings if they have two numbers and other times`() throws {
        let broker = try TestBroker()
        try broker.list()
        let seen = broker.bench.now
        try broker.publish(topic, state(4.5, 80, seen: seen))
        try broker.publish(topic, state(4.5, 80, seen: seen.advanced(bySeconds: 1)))
        broker.bench.clock.advance(bySeconds: 60)
        try broker.publish(topic, state(4.5, 80, seen: broker.bench.now))
        let events = try broker.bench.journal().filter { if case .measured = $0.fact { true } else { false } }
        // The second is stamped a second in the future, so it counts as received now.
        #expect(events.count >= 2)
        #expect(events.last?.envelope.time == broker.bench.now)
        #expect(try broker.readings().last?.count == 2)
    }

    @Test func `values that zigbee2mqtt only repeats become no readings`() throws {
        let broker = try TestBroker()
        try broker.list()
        try broker.publish(topic, state(4.5, 80))
        try broker.publish(topic, state(4.5, 80))
        try broker.publish(topic, state(4.5, 81))
        try broker.publish(topic, state(5, 81), retained: true)
        #expect(
            try broker.readings() == [
                [Reading(.temperature, 4.5), Reading(.humidity, 80)], [Reading(.humidity, 81)],
            ])
    }

    @Test func `the time of a measurement is last seen, and an old state is no reading after a restart`() throws {
        let broker = try TestBroker()
        try broker.list()
        let seen = broker.bench.now.advanced(bySeconds: -120)
        try broker.publish(topic, state(4.5, 80, seen: seen))
        #expect(try broker.bench.journal().last?.envelope.time == seen)
        try broker.restart()
        try broker.list()
        try broker.publish(topic, state(4.5, 80, seen: seen), retained: true)
        #expect(try broker.bench.measured().count == 1)
    }

    @Test func `messages that arrive before the list of devices wait for it unacknowledged`() throws {
        let broker = try TestBroker()
        let number = try broker.publish(topic, state(4.5, 80))
        #expect(broker.takeAcknowledged() == [])
        try broker.list()
        #expect(try broker.bench.measured().map(\.device) == [device])
        #expect(broker.takeAcknowledged().contains(number))
    }

    @Test func `without a list a device is known by an address as its name, others are shown and acknowledged`() throws
    {
        let broker = try TestBroker()
        try broker.publish("zigbee2mqtt/0x00124b001e17efa8", state(4.5, 80))
        try broker.publish("zigbee2mqtt/unknown", state(4.5, 80))
        try broker.bench.wait(seconds: 11)
        #expect(try broker.bench.measured().map(\.device) == [device])
        #expect(
            try broker.bench.quarantined().map(\.reason) == [
                "zigbee2mqtt/bridge/devices does not list unknown (byte 0)"
            ])
        #expect(broker.takeAcknowledged().count == 2)
    }

    @Test func `units are those that the device exposes`() throws {
        let broker = try TestBroker()
        try broker.list(
            #"{"property":"temperature","unit":"°F"},{"property":"pressure","unit":"kPa"},"#
                + #"{"features":[{"property":"voltage","unit":"mV"}]}"#)
        try broker.publish(topic, #"{"temperature":41,"pressure":101.3,"voltage":2900,"temperature_2":50}"#)
        #expect(
            try broker.readings() == [
                [
                    Reading(.temperature, 5), Reading(.pressure, 1013), Reading(.voltage, 2.9),
                    Reading(.temperature2, 50),
                ]
            ])
    }

    @Test func `unusable messages are counted, shown and acknowledged, and the next one is recorded`() throws {
        let broker = try TestBroker()
        try broker.list()
        _ = broker.takeAcknowledged()
        let large = TestBroker.message(topic, Array(repeating: 0x20, count: MQTTLimits.packetBytes), id: 500)
        try broker.publish(topic, "not JSON", number: 499)
        try broker.send(large)
        try broker.publish(topic, state(4.5, 80), number: 501)
        #expect(broker.takeAcknowledged() == [499, 500, 501])
        #expect(try broker.bench.measured().count == 1)
        #expect(
            broker.bench.notes.filter { $0.name == "messages_refused" }.map(\.labels) == [
                ["reason": "unreadable"], ["reason": "too-large"],
            ])
        let status = try broker.bench.ask("reporting", "{}").json["brokers"]?.array?.first { _ in true }
        #expect(try status?.get("refused") == 2)
        #expect(try status?.get("messages") == 4)
        try broker.bench.wait(seconds: 2)
        #expect(try broker.bench.quarantined().count >= 1)
    }

    @Test func `a sensor that is offline is counted`() throws {
        let broker = try TestBroker()
        try broker.list()
        try broker.publish(topic + "/availability", #"{"state":"offline"}"#, retained: true)
        let status = try broker.bench.ask("reporting", "{}").json["brokers"]?.array?.first { _ in true }
        #expect(try status?.get("offlineDevices") == 1)
    }

    @Test func `a refused password closes the connection and is shown`() throws {
        let bench = try Bench(brokers: [TestBroker.settings])
        try bench.take(.ticked(wall: bench.now))
        try bench.take(.opened(source: TestBroker.settings.source))
        try bench.take(.received(source: TestBroker.settings.source, bytes: [0x20, 3, 0, 0x86, 0]))
        #expect(bench.closings.count == 1)
        let radios = try bench.ask("reporting", "{}").json["radios"]?.array?.map { $0["trouble"]?.words ?? "" }
        #expect(radios == bench.closings)
    }
}
