/// Separates code from comments and strings, so that rules do not match words in them.
struct SwiftText {
    /// The code with blanks in place of comments and the contents of strings; columns are preserved.
    let code: [String]
    /// The text without the contents of strings; comments are preserved.
    let unquoted: [String]

    private enum Place: Equatable {
        case code
        case line
        case block(Int)
        /// In a string with this number of `#`, delimited by three quotation marks or by one.
        case string(hashes: Int, isLong: Bool)
    }

    init(_ text: String) {
        let bytes = Array(text.utf8)
        var code: [UInt8] = []
        var unquoted: [UInt8] = []
        code.reserveCapacity(bytes.count)
        unquoted.reserveCapacity(bytes.count)
        var place = Place.code
        var index = 0
        /// Appends the next `count` bytes to either text, to both, or to none.
        func take(_ count: Int, isCode: Bool, isQuoted: Bool = false) {
            let taken = bytes[index..<min(index + count, bytes.count)]
            if isCode { code += taken } else { code += taken.lazy.map { $0 == 10 ? 10 : 32 } }
            if isQuoted { unquoted += taken.lazy.filter { $0 == 10 } } else { unquoted += taken }
            index += count
        }
        /// Returns the number of bytes until a byte of `stops`, at least one.
        func run(until stops: [UInt8]) -> Int {
            var end = index + 1
            while end < bytes.count, !stops.contains(bytes[end]) { end += 1 }
            return end - index
        }
        while index < bytes.count {
            switch place {
            case .code:
                if let (length, opened) = Self.opening(bytes, index) {
                    let isString = if case .string = opened { true } else { false }
                    take(length, isCode: isString)
                    place = opened
                } else {
                    take(run(until: [UInt8(ascii: "/"), UInt8(ascii: "\""), UInt8(ascii: "#")]), isCode: true)
                }
            case .line:
                if bytes[index] == 10 { place = .code }
                take(bytes[index] == 10 ? 1 : run(until: [10]), isCode: false)
            case .block(let depth):
                if Self.has("/*", bytes, index) {
                    place = .block(depth + 1)
                    take(2, isCode: false)
                } else if Self.has("*/", bytes, index) {
                    place = depth == 1 ? .code : .block(depth - 1)
                    take(2, isCode: false)
                } else {
                    take(1, isCode: false)
                }
            case .string(let hashes, let isLong):
                let end = String(repeating: "\"", count: isLong ? 3 : 1) + String(repeating: "#", count: hashes)
                let escape = "\\" + String(repeating: "#", count: hashes)
                if Self.has(end, bytes, index) {
                    take(end.utf8.count, isCode: true)
                    place = .code
                } else if Self.has(escape, bytes, index) {
                    take(escape.utf8.count + 1, isCode: false, isQuoted: true)
                } else if bytes[index] == 10 {
                    // A string literal of one line ends with the line, even if the literal is malformed.
                    if !isLong { place = .code }
                    take(1, isCode: false, isQuoted: true)
                } else {
                    let stops = [UInt8(ascii: "\""), UInt8(ascii: "\\"), 10]
                    take(run(until: stops), isCode: false, isQuoted: true)
                }
            }
        }
        self.code = Self.lines(code)
        self.unquoted = Self.lines(unquoted)
    }

    /// Returns the kind and the length of the delimiter that begins a comment or string here; nil for code.
    private static func opening(_ bytes: [UInt8], _ index: Int) -> (length: Int, place: Place)? {
        if has("//", bytes, index) { return (2, .line) }
        if has("/*", bytes, index) { return (2, .block(1)) }
        var hashes = 0
        while index + hashes < bytes.count, bytes[index + hashes] == UInt8(ascii: "#") { hashes += 1 }
        if has("\"\"\"", bytes, index + hashes) { return (hashes + 3, .string(hashes: hashes, isLong: true)) }
        if has("\"", bytes, index + hashes) { return (hashes + 1, .string(hashes: hashes, isLong: false)) }
        return nil
    }

    private static func has(_ text: String, _ bytes: [UInt8], _ index: Int) -> Bool {
        var index = index
        for byte in text.utf8 {
            guard index < bytes.count, bytes[index] == byte else { return false }
            index += 1
        }
        return true
    }

    private static func lines(_ bytes: [UInt8]) -> [String] {
        bytes.split(separator: 10, omittingEmptySubsequences: false).map { String(decoding: $0, as: UTF8.self) }
    }
}
