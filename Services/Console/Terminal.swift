import System

/// The output of commands: results on standard output, errors on standard error.
enum Terminal {
    static func say(_ line: String) {
        StandardStream.output.write(Array((line + "\n").utf8))
    }

    static func complain(_ line: String) {
        StandardStream.error.write(Array((line + "\n").utf8))
    }

    /// Writes bytes unchanged. Returns false if the reading end is closed.
    @discardableResult
    static func put(_ bytes: [UInt8]) -> Bool {
        StandardStream.output.write(bytes)
    }
}
