import System

/// What people and programs read: lines on standard output, trouble on standard error.
enum Terminal {
    static func say(_ line: String) {
        StandardStream.output.write(Array((line + "\n").utf8))
    }

    static func complain(_ line: String) {
        StandardStream.error.write(Array((line + "\n").utf8))
    }

    /// Bytes as they are; false when nobody reads any more.
    @discardableResult
    static func put(_ bytes: [UInt8]) -> Bool {
        StandardStream.output.write(bytes)
    }
}
