import JSON
import Vocabulary

@testable import BluetoothCentral
@testable import Radio

/// What a hub receives: the stream of its controller (first byte 0), a device's messages, each behind its length (1),
/// and a file of profiles (2).
enum CentralReading {
    private static let profiles = Result { () throws(JSONError) in try GATTProfile.all(in: GATTProfile.builtIn) }

    static func read(_ bytes: [UInt8]) {
        guard let first = bytes.first, case .success(let profiles) = profiles else { return }
        let rest = Array(bytes.dropFirst())
        switch first % 3 {
        case 0: stream(rest, profiles)
        case 1: device(rest, profiles[0])
        default: file(rest)
        }
    }

    /// Begins a session whose controller sends these bytes, in parts, while time passes.
    private static func stream(_ bytes: [UInt8], _ profiles: [GATTProfile]) {
        var session = CentralSession(profiles)
        var now: Int64 = 0
        var effects = session.begin(at: now)
        for start in stride(from: 0, to: bytes.count, by: 61) {
            now += 700_000
            effects += session.receive(Array(bytes[start..<min(start + 61, bytes.count)]), at: now)
            effects += session.tick(at: now)
        }
        effects += session.tick(at: now + 60_000_000)
        for case .send(let packet) in effects {
            precondition(packet.count >= 4 && (packet[0] == 1 || packet[0] == 2), "no packet of a host")
        }
    }

    private static func device(_ bytes: [UInt8], _ profile: GATTProfile) {
        var client = GATTClient(profile)
        var isReady = false
        var effects = client.begin(at: 0)
        var rest = bytes[...]
        while let length = rest.popFirst() {
            effects += client.receive(Array(rest.prefix(Int(length))), at: 0)
            rest = rest.dropFirst(Int(length))
        }
        for effect in effects {
            if effect == .ready {
                precondition(!isReady, "a device is set up twice")
                isReady = true
            }
        }
    }

    private static func file(_ bytes: [UInt8]) {
        do throws(JSONError) {
            let profiles = try GATTProfile.all(in: String(decoding: bytes, as: UTF8.self))
            precondition(profiles.allSatisfy { !$0.services.isEmpty }, "a profile without a service")
        } catch { return }
    }
}

extension CentralReading {
    /// Returns packets and messages of a connection to a SensorTag, profiles, and inputs with an error in each part.
    static func seeds() -> [[UInt8]] {
        sessions().map { [0] + $0 } + conversations().map { [1] + $0 } + files().map { [2] + Array($0.utf8) }
    }

    private static func complete(_ opcode: UInt16, _ more: [UInt8] = [0]) -> [UInt8] {
        [4, 0x0E, UInt8(3 + more.count), 1, UInt8(opcode & 0xFF), UInt8(opcode >> 8)] + more
    }

    /// Returns a message of the device as the controller passes it on.
    private static func data(_ message: [UInt8]) -> [UInt8] {
        [2, 0x40, 0x20, UInt8(message.count + 4), 0, UInt8(message.count), 0, 4, 0] + message
    }

    private static func joined(_ parts: [UInt8]...) -> [UInt8] { Array(parts.joined()) }

    private static func sessions() -> [[UInt8]] {
        let scan = complete(0x200C)
        let start = joined(
            complete(0x0C03), complete(0x0C01), complete(0x1005, [0, 0, 1, 0, 4, 0, 0, 0]),
            complete(0x2002, [0, 27, 0, 2]), complete(0x200B), scan)
        let name = joined([17, 9], Array("CC2650 SensorTag".utf8))
        let address: [UInt8] = [1, 0, 0, 0x0E, 0x6C, 0x54]
        let heard = joined([4, 0x3E, 30, 2, 1, 4, 0], address, [UInt8(name.count)], name, [0xC4])
        let connected = joined(
            [4, 0x3E, 19, 1, 0, 0x40, 0, 0, 0], address, [0x28, 0, 0, 0, 0x90, 1, 0])
        let made = joined(start, heard, scan, [4, 0x0F, 4, 0, 1, 0x0D, 0x20], connected, scan)
        let sent: [UInt8] = [4, 0x13, 5, 1, 0x40, 0, 1, 0]
        let talk = joined(made, Array(messages.map { joined(sent, data($0)) }.joined()))
        let parts: [UInt8] = [2, 0x40, 0x20, 5, 0, 7, 0, 4, 0, 0x1B, 2, 0x40, 0x10, 6, 0, 0x2B, 0, 1, 2, 3, 4]
        let signal: [UInt8] = [2, 0x40, 0x20, 16, 0, 12, 0, 5, 0, 0x12, 5, 8, 0, 6, 0, 6, 0, 0, 0, 100, 0]
        let tooLong: [UInt8] = [2, 0x40, 0x20, 6, 0, 1, 0, 4, 0, 7, 7, 4, 0x0F, 4, 2, 1, 6, 4]
        let failed: [UInt8] = [4, 0x3E, 19, 1, 2]
        return [
            start, made, talk, joined(talk, parts, [4, 5, 4, 0, 0x40, 0, 8], heard),
            joined(made, signal, [2, 0x40, 0x20, 4, 0, 2, 0, 5, 0]),
            joined(start, heard, scan, [4, 0x0F, 4, 0x0C, 1, 0x0D, 0x20]), joined(start, connected),
            joined(made, tooLong), joined(start, [4, 0x10, 1, 7]), complete(0x0C03, [1]),
            joined(start, heard, complete(0x200C, [0x11])),
            joined(complete(0x0C03), complete(0x0C01), complete(0x1005, [0, 1])),
            [3, 1, 0, 1, 9, 5, 1, 0x20, 1, 0, 9],
            joined(talk, data([0x1D, 0x2B, 0, 1]), data([0x0A, 1, 0]), [4, 0x0E, 3, 1, 0, 0]),
            joined(start, heard, scan, failed, Array(connected.dropFirst(5))),
        ]
    }

    private static func bytes(_ hex: String) -> [UInt8] { Hex.decode(hex.filter { $0 != " " }) ?? [] }

    /// The bytes of F000xxxx-0451-4000-B000-000000000000 before the four digits.
    private static let uuid = "00000000000000b000405104"

    /// The messages of a SensorTag from the first to a value.
    private static let messages = [
        "01 02 0000 06", "11 06 0100 0700 0018", "11 14 2900 2f00 \(uuid)20aa00f0", "01 10 3000 0a",
        "09 15 2a00 12 2b00 \(uuid)21aa00f0", "09 15 2d00 0a 2e00 \(uuid)22aa00f0", "01 08 2e00 0a",
        "05 01 2c00 0229", "13", "13", "1b 2b00 66660080",
    ].map(bytes)

    /// Returns the start of the messages of each length, and all of them with another one in each place.
    private static func conversations() -> [[UInt8]] {
        func lengthened(_ some: ArraySlice<[UInt8]>) -> [UInt8] {
            Array(some.map { [UInt8($0.count)] + $0 }.joined())
        }
        var conversations = messages.indices.map { lengthened(messages[...$0]) }
        let others = [
            "11 14 2900 ffff \(uuid)20aa00f0", "09 07 2a00 20 2b00 6e2a", "05 02 2c00 \(uuid)02290000",
            "05 01 2c00 0129", "01 12 2c00 05", "01 12 2c00 03", "01 12 2c00 0d", "01 12 2c00 80", "02 4000", "52 01",
            "03 1700", "11 05", "09 08", "11 06 0700 0100 0018", "",
        ].map(bytes)
        for other in others {
            for end in messages.indices {
                conversations.append(lengthened(messages[..<end] + [other] + messages[end...]))
            }
        }
        return conversations
    }

    private static func files() -> [String] {
        let service =
            #""services":[{"service":"181a","notify":["2a6e"],"write":[{"characteristic":"2a7f","hex":"01"}]}]"#
        return [
            GATTProfile.builtIn, "[]", "{", #"{"profiles":[]}"#, #"{"other":1}"#,
            #"{"profiles":[{"name":"x","addresses":["54:6c:0e:00:00:01"],"advertises":["181a"],\#(service)}]}"#,
            #"{"profiles":[{"name":"x","addresses":["54"],\#(service)}]}"#,
            #"{"profiles":[{"name":"x",\#(service)}]}"#,
            #"{"profiles":[{"name":"x","names":["a"],"services":[]}]}"#,
            #"{"profiles":[{"name":"x","names":["a"],"services":[{"service":"181a"}]}]}"#,
            #"{"profiles":[{"name":"x","names":["a"],"services":[{"service":"18"}]}]}"#,
            #"{"profiles":[{"name":"x","names":["a"],"services":[{"service":"181a","notify":["2a00"]}]}]}"#,
            #"{"profiles":[{"name":"x","names":["a"],"sensor":"b",\#(service)}]}"#,
            #"{"profiles":[{"name":"x","names":["a"],"interval":9999,\#(service)}]}"#,
            #"{"profiles":[{"name":"x","names":["a"],"services":[{"service":"181a","write":[{"characteristic":"2a7f","hex":""}]}]}]}"#,
        ]
    }
}
