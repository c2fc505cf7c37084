import SensorIngest
import System
import ZeroMQ

/// An MQTT 5 broker on loopback, as much as a subscriber needs: it publishes, and accepts no messages.
final class FakeBroker {
    private let socket: Socket
    private var clients: [[UInt8]: FakeBrokerClient] = [:]
    /// Messages that every new subscriber receives first.
    private let stored: [(topic: String, payload: [UInt8])]

    /// - Parameter stored: the topics and payloads that every new subscriber receives first.
    init(port: Int, stored: [(topic: String, payload: [UInt8])]) throws {
        socket = try Socket(.stream, in: Context())
        try socket.bind("tcp://127.0.0.1:\(port)")
        self.stored = stored
    }

    /// Answers what clients have sent.
    func tend() throws {
        while let message = try socket.receive() {
            guard message.count == 2 else { continue }
            let (peer, bytes) = (message[0], message[1])
            guard var client = clients[peer] else {
                // The first message announces the connection.
                clients[peer] = FakeBrokerClient()
                continue
            }
            if bytes.isEmpty {
                clients[peer] = nil
                continue
            }
            let wasSubscribed = client.isSubscribed
            let answer = client.take(bytes)
            if !answer.isEmpty { try socket.send([peer, answer]) }
            if client.isSubscribed, !wasSubscribed {
                for (topic, payload) in stored {
                    try socket.send([peer, client.publish(topic, payload, isStored: true)])
                }
            }
            clients[peer] = client
        }
    }

    /// Publishes a message at QoS 1. It is not repeated: a demonstration may lose it.
    func publish(_ topic: String, _ payload: String) throws {
        for (peer, var client) in clients where client.isSubscribed {
            try socket.send([peer, client.publish(topic, Array(payload.utf8), isStored: false)])
            clients[peer] = client
        }
    }
}

/// One client's connection to the broker of a demonstration (MQTT 5.0, chapter 3). Pure.
struct FakeBrokerClient {
    private var rest: [UInt8] = []
    private var number: UInt16 = 0
    private(set) var isSubscribed = false

    private enum Packet {
        static let connect: UInt8 = 1
        static let subscribe: UInt8 = 8
        static let ping: UInt8 = 12
    }

    /// Takes bytes of the client; returns the answer. Packets that need none are skipped.
    mutating func take(_ bytes: [UInt8]) -> [UInt8] {
        rest += bytes
        var answer: [UInt8] = []
        while let (length, start) = Self.length(of: rest), rest.count >= start + length {
            let body = Array(rest[start..<start + length])
            switch rest[0] >> 4 {
            case Packet.connect: answer += [0x20, 3, 0, 0, 0]
            case Packet.subscribe: answer += subscribed(body)
            case Packet.ping: answer += [0xD0, 0]
            default: break
            }
            rest.removeFirst(start + length)
        }
        return answer
    }

    /// Grants every filter at QoS 1.
    private mutating func subscribed(_ body: [UInt8]) -> [UInt8] {
        guard body.count > 3 else { return [] }
        isSubscribed = true
        var filters = 0
        // The packet's number, and properties, which this client sends none of.
        var place = 3 + Int(body[2])
        while place + 2 < body.count {
            place += 2 + Int(body[place]) << 8 + Int(body[place + 1]) + 1
            filters += 1
        }
        return [0x90, UInt8(3 + filters), body[0], body[1], 0] + [UInt8](repeating: 1, count: filters)
    }

    mutating func publish(_ topic: String, _ payload: [UInt8], isStored: Bool) -> [UInt8] {
        number = number == .max ? 1 : number + 1
        let id = [UInt8(number >> 8), UInt8(number & 0xFF)]
        let body = MQTTRequest.text(topic) + id + [0] + payload
        return [isStored ? 0x33 : 0x32] + MQTTRequest.variable(body.count) + body
    }

    /// Returns the length of the first packet's body and where it begins; nil if they are not complete.
    private static func length(of bytes: [UInt8]) -> (length: Int, start: Int)? {
        var length = 0
        for place in 1..<5 where place < bytes.count {
            length |= Int(bytes[place] & 0x7F) << (7 * (place - 1))
            if bytes[place] & 0x80 == 0 { return (length, place + 1) }
        }
        return nil
    }
}
