import Radio
import System

/// `furrow decode`: radio bytes in, readings out.
struct DecodeCommand {
    private let file: String?

    /// The largest capture that is read.
    static let fileBytes = 64 << 20

    init(_ arguments: inout Arguments) throws {
        file = try arguments.value("--file")
        _ = arguments.flag("--json")
        try arguments.end()
    }

    func run() throws -> Int32 {
        if let file {
            for line in try DecodeFile(try File.read(file, limit: Self.fileBytes)) { Terminal.put(line + [10]) }
            return 0
        }
        while let line = readLine() { Terminal.put(DecodeLine.decode(Array(line.utf8)) + [10]) }
        return 0
    }
}
