import TestKit
import Testing
import Vocabulary

@testable import SensorIngest

@Suite("MQTT")
struct MQTTProtocolTests {
    @Test func `a request to connect continues the session and names the limits`() {
        // MQTT 5.0, 3.1: flags, keep-alive, session expiry (0x11), receive maximum (0x21), then the payload.
        let expected: [UInt8] =
            [0x10, 30, 0, 4, 0x4D, 0x51, 0x54, 0x54, 5, 0xC0, 0, 30, 8, 0x11, 0, 9, 0x3A, 0x80, 0x21, 0x03, 0xE8]
            + [0, 2, 0x66, 0x31, 0, 1, 0x75, 0, 2, 0x70, 0x77]
        #expect(MQTTRequest.connect(client: "f1", user: "u", password: "pw") == expected)
        #expect(MQTTRequest.connect(client: "f1", user: nil, password: nil)[9] == 0)
    }

    @Test func `a request to subscribe asks for QoS 1`() {
        let filters = [MQTTRequest.Filter(topics: "a/#"), MQTTRequest.Filter(topics: "b", wantsRetained: false)]
        #expect(
            MQTTRequest.subscribe(filters, id: 258)
                == [0x82, 13, 1, 2, 0, 0, 3, 0x61, 0x2F, 0x23, 1, 0, 1, 0x62, 0x21])
    }

    @Test func `packets are the same however the stream is split`() throws {
        let stream =
            TestBroker.accepted + TestBroker.message("a/b", [1, 2, 3], id: 7, again: true)
            + [0xD0, 0] + TestBroker.message("c", Array(repeating: 9, count: 300), id: nil, retained: true)
            + [0x90, 4, 0, 1, 0, 1, 0xE0, 2, 0x8B, 0]
        var whole = MQTTParser()
        let packets = try whole.feed(stream)
        #expect(packets.count == 6)
        #expect(
            packets[1]
                == .message(MQTTMessage(topic: "a/b", payload: [1, 2, 3], id: 7, isRedelivered: true)))
        #expect(packets[4] == .subscribed(id: 1, reasons: [1]))
        #expect(packets[5] == .disconnected(reason: 0x8B, text: nil))
        for split in 0...stream.count {
            var parser = MQTTParser()
            let parts = try parser.feed(Array(stream[..<split])) + parser.feed(Array(stream[split...]))
            #expect(parts == packets, "split at \(split)")
        }
    }

    @Test func `properties of a message are skipped, unknown ones are refused`() throws {
        var parser = MQTTParser()
        // Content type, user property, subscription identifier.
        let properties: [UInt8] = [3, 0, 1, 0x61, 0x26, 0, 1, 0x62, 0, 1, 0x63, 0x0B, 0x81, 1]
        let body = [0, 1, 0x74, UInt8(properties.count)] + properties + [42]
        #expect(
            try parser.feed([0x30, UInt8(body.count)] + body)
                == [.message(MQTTMessage(topic: "t", payload: [42], id: nil))])
        #expect(throws: MQTTError.self) { try parser.feed([0x30, 6, 0, 1, 0x74, 2, 0x7E, 0]) }
    }

    @Test func `a message over the limit is skipped without being stored, and the next one is read`() throws {
        let long = TestBroker.message("big", Array(repeating: 7, count: 200_000), id: 3)
        for piece in [1000, 65_536, long.count] {
            var parser = MQTTParser(limit: 100_000)
            var packets: [MQTTPacket] = []
            let stream = long + TestBroker.message("small", [1], id: 4)
            for start in stride(from: 0, to: stream.count, by: piece) {
                packets += try parser.feed(Array(stream[start..<min(start + piece, stream.count)]))
            }
            #expect(
                packets == [
                    .oversized(topic: "big", id: 3, bytes: long.count - 4),
                    .message(MQTTMessage(topic: "small", payload: [1], id: 4)),
                ])
        }
    }

    @Test(
        arguments: [
            [0x30, 0xFF, 0xFF, 0xFF, 0xFF, 1], [0x34, 5, 0, 1, 0x61, 0, 1], [0x30, 3, 0, 9, 0x61], [0x30, 2, 0, 0],
            [0x10, 0], [0x20, 1, 0], [0x30, 4, 0, 1, 0xFF, 0], Array("HTTP/1.1 400 Bad Request".utf8),
        ] as [[UInt8]])
    func `bytes that are no MQTT 5 end the connection`(bytes: [UInt8]) {
        var parser = MQTTParser()
        #expect(throws: MQTTError.self) { try parser.feed(bytes) }
    }

    @Test func `arbitrary bytes neither trap nor take memory`() {
        var random = SplitMix64(seed: 5)
        for _ in 0..<20_000 {
            var parser = MQTTParser()
            _ = Result { try parser.feed(random.bytes(40)) }
        }
    }

    @Test func `addresses of brokers have a scheme, a host and perhaps a port`() {
        #expect(BrokerAddress("mqtt://broker")?.authority == "broker:1883")
        #expect(BrokerAddress("mqtts://broker.example.com/")?.authority == "broker.example.com:8883")
        #expect(BrokerAddress("mqtts://[::1]:884")?.authority == "[::1]:884")
        for bad in ["broker", "http://broker", "mqtt://", "mqtt://user:secret@broker", "mqtt://a b", "mqtt://a/b"] {
            #expect(BrokerAddress(bad) == nil, "\(bad)")
        }
    }
}

@Suite("The session with a broker")
struct MQTTSessionTests {
    private let start = Instant(microseconds: 1_700_000_000_000_000)

    private func session(_ settings: BrokerSettings = TestBroker.settings) -> MQTTSession {
        var session = MQTTSession(settings)
        _ = session.opened(at: start)
        return session
    }

    @Test func `topics are subscribed to once the broker has accepted the connection`() {
        var session = session()
        let output = session.receive(TestBroker.accepted, at: start)
        #expect(output.bytes.first == 0x82)
        #expect(session.connectedSince == start)
    }

    @Test func `lists are subscribed to first and at QoS 0, so that a full backlog does not hold them back`() {
        let filters = TestBroker.settings.filters
        #expect(filters.first == MQTTRequest.Filter(topics: "zigbee2mqtt/bridge/devices", isAcknowledged: false))
        #expect(filters.prefix(3).allSatisfy { !$0.isAcknowledged })
        #expect(filters.dropFirst(3).allSatisfy { $0.isAcknowledged })
        #expect(Array(MQTTRequest.subscribe([filters[0]], id: 1).suffix(1)) == [0])
    }

    @Test func `raw advertisements are shared by the group and nothing else is`() {
        var settings = TestBroker.settings
        settings.group = "barn"
        let topics = settings.filters.map(\.topics)
        #expect(
            topics.filter { $0.hasPrefix("$share/barn/") } == [
                "$share/barn/home/+/BTtoMQTT/+", "$share/barn/ruuvi/+/+",
            ])
        #expect(topics.contains("zigbee2mqtt/#"))
        #expect(TestBroker.settings.filters.allSatisfy { !$0.topics.hasPrefix("$") })
    }

    @Test func `a refused password is explained without the password`() {
        var session = session()
        let close = session.receive([0x20, 3, 0, 0x87, 0], at: start).close
        #expect(close == "it refuses the password of farm: check FURROW_MQTT_USER and FURROW_MQTT_PASSWORD")
        #expect(session.connectedSince == nil)
        // A broker that knows MQTT 3.1.1 only refuses the version in that version's form.
        var old = self.session()
        #expect(old.receive([0x20, 2, 0, 1], at: start).close == "it does not support MQTT 5")
    }

    @Test func `a topic that may not be read is reported`() {
        var session = session()
        _ = session.receive(TestBroker.accepted, at: start)
        _ = session.receive([0x90, 10, 0, 1, 0, 0, 0, 0, 0x87, 1, 1, 1], at: start)
        #expect(session.trouble(at: start) == "the broker does not let farm read zigbee2mqtt/#")
    }

    @Test func `a broker that is silent is pinged, and given up if it does not respond`() {
        var session = session()
        _ = session.receive(TestBroker.accepted, at: start)
        #expect(session.tend(at: start.advanced(bySeconds: 14)).bytes == [])
        #expect(session.tend(at: start.advanced(bySeconds: 15.1)).bytes == MQTTRequest.ping)
        _ = session.receive([0xD0, 0], at: start.advanced(bySeconds: 15.2))
        #expect(session.tend(at: start.advanced(bySeconds: 31)).bytes == MQTTRequest.ping)
        #expect(session.tend(at: start.advanced(bySeconds: 40)).close == nil)
        let end = session.tend(at: start.advanced(bySeconds: 46.5))
        #expect(end.close == "it has been silent for 15 s")
        #expect(end.bytes == MQTTRequest.disconnect)
    }

    @Test func `a connection to a server that never responds is closed`() {
        var session = session()
        #expect(session.tend(at: start.advanced(bySeconds: 10)).close == nil)
        #expect(session.tend(at: start.advanced(bySeconds: 16)).close == "it does not answer the request to connect")
    }
}
