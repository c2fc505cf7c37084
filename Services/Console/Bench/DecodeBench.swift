import JSON
import Radio
import SensorIngest
import System
import Vocabulary

/// `furrow bench decode`: decodes the packets of a file again and again on one thread.
///
/// The file is a capture, or JSON lines of one kind: packets of a Bluetooth controller (`{"format":"hci","hex":…}`),
/// frames of a ZigBee coordinator (`{"format":"znp","hex":…}`), or messages of an MQTT broker
/// (`{"topic":…,"payload":…}`).
struct DecodeBench {
    private let options: BenchOptions
    private let path: String

    init(_ options: BenchOptions) {
        self.options = options
        path = options.file ?? ""
    }

    func run() throws -> BenchResult {
        let bytes = try File.read(path, limit: DecodeCommand.fileBytes)
        switch try DecodeInput(bytes, in: path) {
        case .captured(let frames):
            var decoder = CaptureDecoder()
            return try measure(frames) { decoder.decode($0).reports.count }
        case .bluetooth(let packets):
            var receiver = AdvertisementReceiver()
            return try measure(packets) { receiver.decode(packet: $0).reports.count }
        case .coordinator(let frames):
            var parser = UNPIParser()
            var decoder = ZNPDecoder()
            return try measure(frames) { parser.feed($0).reduce(0) { $0 + decoder.decode($1).reports.count } }
        case .broker(let messages):
            var reader = BrokerMessageReader()
            return try measure(messages) { reader.reports(in: $0) }
        }
    }

    /// Measures one pass of all events. `decode` returns the number of reports in an input.
    private func measure<Input>(_ inputs: [Input], _ decode: (Input) -> Int) throws -> BenchResult {
        guard !inputs.isEmpty else { throw Refusal("\(path) has no packet.") }
        var reports = 0
        var progress = Progress("decode", of: options.events)
        let began = Clock.threadMicroseconds()
        let (_, seconds) = try BenchCommand.timed {
            for number in 0..<options.events {
                reports += decode(inputs[number % inputs.count])
                if number.isMultiple(of: 65_536) { progress.reached(number) }
            }
        }
        guard reports > 0 else { throw Refusal("\(path) has no report.") }
        var result = BenchResult(
            bench: options.name, events: options.events, seconds: seconds, peakRSSBytes: Machine.peakResidentBytes())
        result.processorSeconds = Double(Clock.threadMicroseconds() - began) / 1_000_000
        result.reports = reports
        return result
    }
}

/// The packets of a file, all of one kind.
private enum DecodeInput {
    case captured([CapturedFrame])
    case bluetooth([[UInt8]])
    case coordinator([[UInt8]])
    case broker([BrokerMessage])

    init(_ bytes: [UInt8], in path: String) throws {
        guard bytes.first == UInt8(ascii: "{") else {
            self = .captured(try Capture.read(bytes))
            return
        }
        let lines = bytes.split(separator: 10).map(Array.init)
        let first = try Self.json(lines[0], 1, in: path)
        switch try first.find("format", as: String.self) {
        case "hci": self = .bluetooth(try Self.packets(lines, in: path))
        case "znp": self = .coordinator(try Self.packets(lines, in: path))
        case nil: self = .broker(try Self.messages(lines, in: path))
        case .some(let other): throw Refusal("\(path), line 1: the format \(other) is neither hci nor znp.")
        }
    }

    private static func packets(_ lines: [[UInt8]], in path: String) throws -> [[UInt8]] {
        try lines.enumerated().map { number, line in
            guard let packet = Hex.decode(try json(line, number + 1, in: path).get("hex")) else {
                throw Refusal("\(path), line \(number + 1): hex needs pairs of hexadecimal digits.")
            }
            return packet
        }
    }

    private static func messages(_ lines: [[UInt8]], in path: String) throws -> [BrokerMessage] {
        try lines.enumerated().map { number, line in
            let message = try json(line, number + 1, in: path)
            return BrokerMessage(
                topic: try message.get("topic"), payload: Array(try message.get("payload", as: String.self).utf8))
        }
    }

    private static func json(_ line: [UInt8], _ number: Int, in path: String) throws(Refusal) -> JSONValue {
        do {
            return try JSONValue.parse(line)
        } catch {
            throw Refusal("\(path), line \(number) \(error.message)")
        }
    }
}
