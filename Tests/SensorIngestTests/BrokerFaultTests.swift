import Events
import Host
import JSON
import TestKit
import Testing
import Vocabulary

@testable import SensorIngest

@Suite("Faults of a broker and of its messages")
struct BrokerFaultTests {
    private let resumed: [UInt8] = [0x20, 3, 1, 0, 0]

    /// The topic and the message of a gateway that received a BTHome thermometer without a counter; no time.
    private func raw(_ device: Int, _ celsius: Int) -> (topic: String, text: String) {
        let value = celsius * 100
        let hex = Hex.encode([0x40, 2, UInt8(value & 0xFF), UInt8(value >> 8)])
        return (
            "home/barn/BTtoMQTT/A4C13800000\(device)",
            #"{"id":"A4:C1:38:00:00:0\#(device)","rssi":-60,"servicedata":"\#(hex)","servicedatauuid":"0xfcd2"}"#
        )
    }

    private func publish(
        _ device: Int, _ celsius: Int, to broker: TestBroker, number: UInt16? = nil, again: Bool = false
    ) throws {
        let (topic, text) = raw(device, celsius)
        try broker.publish(topic, text, number: number, again: again)
    }

    /// Connects again as a session that the broker has stored.
    private func resume(_ broker: TestBroker) throws {
        try broker.bench.restart()
        try broker.bench.take(.ticked(wall: broker.bench.now))
        try broker.bench.take(.opened(source: TestBroker.settings.source))
        try broker.send(resumed)
    }

    /// Answers all requests to subscribe that were sent.
    private func answerSubscriptions(_ broker: TestBroker) throws {
        try broker.send([0x90, 3, 0, 1, 0])
    }

    private func alarms(_ broker: TestBroker) throws -> Int {
        try broker.bench.journal().count { if case .alarmRaised = $0.fact { true } else { false } }
    }

    private func reporting(_ bench: Bench) throws -> (troubles: [String], broker: JSONValue?) {
        let json = try bench.ask("reporting", "{}").json
        return (json["radios"]?.array?.map { $0["trouble"]?.words ?? "" } ?? [], json["brokers"]?.array?.map { $0 }[0])
    }

    @Test func `a message with too many values or endless names costs no other message its reading`() throws {
        let broker = try TestBroker()
        try broker.list()
        let probes = Array(repeating: #""temperature_5":1"#, count: 1100)
        let many = probes + Array(repeating: #""humidity":50"#, count: 1100)
        let state = TestBroker.message("zigbee2mqtt/cold store", Array("{\(many.joined(separator: ","))}".utf8), id: 7)
        let (topic, text) = raw(1, 4)
        try broker.send(state + TestBroker.message(topic, Array(text.utf8), id: 8))
        let refused = try broker.bench.refused()
        #expect(refused.map(\.values.count) == [SensorLimits.values])
        #expect(try broker.readings().map(\.count) == [SensorLimits.values, 1])
        #expect(broker.bench.notes.allSatisfy { $0.name != "appends_refused" })
        let marks = String(repeating: "\u{301}", count: 40_000)
        try broker.publish(
            "zigbee2mqtt/bridge/devices",
            #"[{"ieee_address":"0x00124b001e17efa9","friendly_name":"b","manufacturer":"a\#(marks)","model_id":"m"}]"#,
            retained: true)
        try broker.publish("zigbee2mqtt/b", #"{"temperature":7}"#)
        #expect(try broker.bench.identified().last?.maker?.utf8.count ?? 0 > 100)
        #expect(try broker.bench.identified().last?.maker?.utf8.count ?? 0 <= SensorLimits.makeBytes)
        #expect(try broker.readings().last == [Reading(.temperature, 7)])
    }

    @Test func `a message that was never recorded is recorded when it is sent again, although an older one is equal`()
        throws
    {
        let broker = try TestBroker()
        try publish(1, 4, to: broker)
        broker.bench.clock.advance(bySeconds: 1190)
        try publish(2, 5, to: broker)
        broker.bench.clock.advance(bySeconds: 10)
        // The process dies before it has recorded the next message of the first device.
        try broker.restart()
        try publish(1, 4, to: broker, number: 70, again: true)
        #expect(try broker.readings().count == 3)
        // One that was recorded is not recorded again, however late it is sent again.
        try broker.restart()
        broker.bench.clock.advance(bySeconds: 7200)
        try publish(1, 4, to: broker, number: 70, again: true)
        #expect(try broker.readings().count == 3)
    }

    @Test func `a message whose gateway's clock is ahead is one reading when it is sent again`() throws {
        let broker = try TestBroker()
        try broker.list()
        let text = #"{"temperature":4.5,"last_seen":"\#(broker.bench.now.advanced(bySeconds: 20))"}"#
        try broker.publish("zigbee2mqtt/cold store", text, number: 9)
        for seconds in [15.0, 600] {
            try broker.restart()
            broker.bench.clock.advance(bySeconds: seconds)
            try broker.list()
            try broker.publish("zigbee2mqtt/cold store", text, number: 9, again: true)
            #expect(try broker.readings().count == 1)
        }
    }

    @Test func `messages that wait for a list are limited, those at QoS 0 are counted, others are stored`() throws {
        let broker = try TestBroker()
        let payload = Array(#"{"temperature":4.5}"#.utf8)
        for _ in 0..<(MQTTLimits.inFlight + 3) {
            try broker.send(TestBroker.message("zigbee2mqtt/cold store", payload, id: nil))
        }
        let number = try broker.publish("zigbee2mqtt/cold store", #"{"temperature":5}"#)
        #expect(broker.takeAcknowledged() == [])
        #expect(try reporting(broker.bench).broker?.get("refused") == 3)
        try broker.list()
        #expect(broker.takeAcknowledged().contains(number))
        #expect(try broker.readings().last?.contains(Reading(.temperature, 5)) == true)
    }

    @Test func `a broker that exceeds the limit of unacknowledged messages is left`() throws {
        let broker = try TestBroker()
        for _ in 0..<MQTTLimits.inFlight { try broker.publish("zigbee2mqtt/cold store", #"{"temperature":5}"#) }
        #expect(broker.bench.closings == [])
        try broker.publish("zigbee2mqtt/cold store", #"{"temperature":6}"#)
        #expect(broker.bench.closings == ["it sends more than 1000 unacknowledged messages"])
        #expect(broker.takeAcknowledged() == [])
    }

    @Test func `a broker that cannot be reached is shown from the start, and one that is lost, too`() throws {
        let bench = try Bench(brokers: [TestBroker.settings])
        let source = TestBroker.settings.source
        try bench.take(.ticked(wall: bench.now))
        bench.core.update(closed: source, why: nil)
        #expect(try reporting(bench).troubles == [])
        bench.core.update(closed: source, why: "cannot connect: no such host")
        #expect(try reporting(bench).troubles == ["cannot connect: no such host"])
        try bench.take(.opened(source: source))
        try bench.take(.received(source: source, bytes: TestBroker.accepted))
        #expect(try reporting(bench).troubles == [])
        #expect(try reporting(bench).broker?["connected"] != nil)
        bench.core.update(closed: source, why: "the connection has ended")
        try bench.wait(seconds: 40)
        #expect(bench.closings == [])
        #expect(try reporting(bench).troubles.last == "the connection has ended")
        #expect(try reporting(bench).broker?["connected"] == nil)
    }

    @Test func `a source that cannot connect still reports its problem after it is closed`() {
        let source = ServerSource(name: "mqtt://broker", authority: "127.0.0.1:1", isSecure: false, caFile: nil)
        while source.problem == nil { _ = source.reopen() }
        source.close(why: "it has been silent for 15 s")
        #expect(source.problem?.hasPrefix("cannot connect") == true)
    }

    @Test func `a connection that is half open is given up also if the broker wants frequent pings`() throws {
        let start = Instant(microseconds: 1_700_000_000_000_000)
        var session = MQTTSession(TestBroker.settings)
        _ = session.opened(at: start)
        // The broker's keep-alive (property 0x13) is 5 s.
        _ = session.receive([0x20, 6, 0, 0, 3, 0x13, 0, 5], at: start)
        var (pings, close): (Int, Double?) = (0, nil)
        for tenth in 1...300 where close == nil {
            let output = session.tend(at: start.advanced(bySeconds: Double(tenth) / 10))
            if output.bytes == MQTTRequest.ping { pings += 1 }
            if output.close != nil { close = Double(tenth) / 10 }
        }
        #expect(pings == 1)
        #expect(try #require(close) < 19)
    }

    @Test func `values without a time that waited in the broker raise no alarm, later ones do`() throws {
        let broker = try TestBroker()
        _ = try broker.bench.ask(
            "bind-point",
            #"{"point":"p1","title":"Fridge","place":"store/s1","device":"ble:a4c138000001"}"#)
        _ = try broker.bench.ask(
            "set-rule", #"{"rule":"warm","place":"store/s1","quantity":"temperature","above":8,"enabled":true}"#)
        try publish(1, 4, to: broker)
        broker.bench.clock.advance(bySeconds: 3600)
        try resume(broker)
        try publish(1, 20, to: broker)
        try answerSubscriptions(broker)
        // The rest of a backlog follows the answer.
        try publish(1, 21, to: broker)
        #expect(try broker.readings().count == 3)
        #expect(try alarms(broker) == 0)
        try broker.bench.wait(seconds: 1)
        try publish(1, 22, to: broker)
        #expect(try alarms(broker) == 1)
    }

    @Test func `without a backlog values are judged at once`() throws {
        let broker = try TestBroker()
        _ = try broker.bench.ask(
            "bind-point",
            #"{"point":"p1","title":"Fridge","place":"store/s1","device":"ble:a4c138000001"}"#)
        _ = try broker.bench.ask(
            "set-rule", #"{"rule":"warm","place":"store/s1","quantity":"temperature","above":8,"enabled":true}"#)
        try resume(broker)
        try answerSubscriptions(broker)
        try publish(1, 20, to: broker)
        #expect(try alarms(broker) == 1)
    }

    @Test func `the broker stores the session of a member of a group for minutes, of slot 0 for days`() {
        func expiry(isMember: Bool) -> [UInt8] {
            var settings = TestBroker.settings
            settings.isMember = isMember
            var session = MQTTSession(settings)
            // The property 0x11 follows the fixed part, the length of the properties included.
            return Array(session.opened(at: Instant(microseconds: 0))[13...17])
        }
        #expect(expiry(isMember: true) == [0x11, 0, 0, 2, 0x58])
        #expect(expiry(isMember: false) == [0x11, 0, 9, 0x3A, 0x80])
    }
}
