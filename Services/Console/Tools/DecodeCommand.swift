import Radio
import System
import Vocabulary

/// `furrow decode`: decodes radio bytes into readings.
struct DecodeCommand {
    private let file: String?
    /// The key for encrypted devices; a line may name its own key instead.
    private let key: [UInt8]?
    /// The key of the ZigBee network in a capture.
    private let networkKey: [UInt8]?
    /// The layouts of a farm's own ZigBee nodes.
    private let layouts: [Layout]

    /// The size limit of a capture file.
    static let fileBytes = 64 << 20

    init(_ arguments: inout Arguments) throws {
        file = try arguments.value("--file")
        key = try Self.key("--bindkey", &arguments)
        networkKey = try Self.key("--network-key", &arguments)
        layouts = try Self.layouts(try arguments.value("--layouts"))
        _ = arguments.flag("--json")
        try arguments.end()
    }

    private static func key(_ option: String, _ arguments: inout Arguments) throws(Refusal) -> [UInt8]? {
        try arguments.value(option).map { text throws(Refusal) in
            guard let key = Hex.decode(text), key.count == DecodeLine.keyBytes else {
                throw Refusal("\(option) needs 32 hexadecimal digits.", isMisuse: true)
            }
            return key
        }
    }

    private static func layouts(_ path: String?) throws -> [Layout] {
        guard let path else { return [] }
        do {
            return try LayoutFile(File.read(path, limit: LayoutFile.bytesMax)).layouts
        } catch let flaw as LayoutFile.Flaw {
            throw Refusal("\(path), \(flaw)")
        }
    }

    func run() throws -> Int32 {
        if let file {
            for line in try DecodeFile(try File.read(file, limit: Self.fileBytes), key: key, networkKey: networkKey) {
                Terminal.put(line + [10])
            }
            return 0
        }
        while let line = readLine() {
            Terminal.put(DecodeLine.decode(Array(line.utf8), key: key, layouts: layouts) + [10])
        }
        return 0
    }
}
