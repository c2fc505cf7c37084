/// Writes one JSON document into bytes: no spaces, members in the order they are given.
///
/// It never fails. What JSON cannot say becomes `null`: NaN, infinities, and containers nested deeper than
/// ``JSONLimits/depthMax`` (``isTooDeep`` then tells). The caller keeps keys unique and writes values only where one
/// may stand.
public struct JSONWriter: Sendable {
    public private(set) var bytes: [UInt8] = []
    /// Whether a container was replaced by `null` because it lay too deep.
    public private(set) var isTooDeep = false
    private var depth = 0
    private var needsComma = false

    public init() {}

    public init(reserving count: Int) {
        bytes.reserveCapacity(count)
    }

    /// The document's text.
    public var text: String { String(decoding: bytes, as: UTF8.self) }
}

// Containers and what stands inside them.
extension JSONWriter {
    @inlinable
    public mutating func object<E: Error>(_ body: (inout JSONWriter) throws(E) -> Void) throws(E) {
        guard open(UInt8(ascii: "{")) else { return }
        try body(&self)
        close(UInt8(ascii: "}"))
    }

    @inlinable
    public mutating func array<E: Error>(_ body: (inout JSONWriter) throws(E) -> Void) throws(E) {
        guard open(UInt8(ascii: "[")) else { return }
        try body(&self)
        close(UInt8(ascii: "]"))
    }

    /// False where the container lies too deep; `null` stands for it then.
    @usableFromInline
    mutating func open(_ bracket: UInt8) -> Bool {
        guard depth < JSONLimits.depthMax else {
            isTooDeep = true
            null()
            return false
        }
        begin()
        bytes.append(bracket)
        depth += 1
        needsComma = false
        return true
    }

    @usableFromInline
    mutating func close(_ bracket: UInt8) {
        depth -= 1
        bytes.append(bracket)
        needsComma = true
    }

    @inlinable
    public mutating func field<T: JSONWritable>(_ key: String, _ value: T) {
        self.key(key)
        value.write(to: &self)
        fillEmptyField()
    }

    /// Leaves the member out when there is no value.
    @inlinable
    public mutating func field<T: JSONWritable>(_ key: String, ifPresent value: T?) {
        if let value { field(key, value) }
    }

    @inlinable
    public mutating func field<E: Error>(_ key: String, object body: (inout JSONWriter) throws(E) -> Void) throws(E) {
        self.key(key)
        try object(body)
    }

    @inlinable
    public mutating func field<E: Error>(_ key: String, array body: (inout JSONWriter) throws(E) -> Void) throws(E) {
        self.key(key)
        try array(body)
    }

    /// A member whose value is JSON already, copied as it is.
    public mutating func field(_ key: String, raw json: [UInt8]) {
        self.key(key)
        raw(json)
        fillEmptyField()
    }

    public mutating func element<T: JSONWritable>(_ value: T) {
        value.write(to: &self)
    }

    public mutating func element<E: Error>(object body: (inout JSONWriter) throws(E) -> Void) throws(E) {
        try object(body)
    }

    public mutating func element<E: Error>(array body: (inout JSONWriter) throws(E) -> Void) throws(E) {
        try array(body)
    }

    @usableFromInline
    mutating func key(_ key: String) {
        begin()
        quote(key)
        bytes.append(UInt8(ascii: ":"))
        needsComma = false
    }

    /// A member whose value wrote nothing would break the document.
    @usableFromInline
    mutating func fillEmptyField() {
        if !needsComma { null() }
    }
}

// Single values.
extension JSONWriter {
    public mutating func string(_ value: String) {
        begin()
        quote(value)
        needsComma = true
    }

    /// A string of ASCII in which nothing needs an escape, such as digits: copied as it is.
    public mutating func string(plain text: Span<UInt8>) {
        begin()
        bytes.append(UInt8(ascii: "\""))
        unsafe text.withUnsafeBufferPointer { unsafe bytes.append(contentsOf: $0) }
        bytes.append(UInt8(ascii: "\""))
        needsComma = true
    }

    public mutating func number(_ value: Int64) {
        begin()
        if value < 0 { bytes.append(UInt8(ascii: "-")) }
        digits(value.magnitude)
        needsComma = true
    }

    public mutating func number(_ value: UInt64) {
        begin()
        digits(value)
        needsComma = true
    }

    /// Writes the shortest digits that read back as the same double, always with a point or exponent; NaN and
    /// infinities, which JSON cannot say, become `null`.
    public mutating func number(_ value: Double) {
        guard value.isFinite else { return null() }
        begin()
        bytes.append(contentsOf: value.description.utf8)
        needsComma = true
    }

    public mutating func bool(_ value: Bool) {
        literal(value ? "true" : "false")
    }

    public mutating func null() {
        literal("null")
    }

    /// Writes JSON that is made already, as it is and unchecked; nothing at all when empty.
    public mutating func raw(_ json: [UInt8]) {
        guard !json.isEmpty else { return }
        begin()
        bytes.append(contentsOf: json)
        needsComma = true
    }

    private mutating func literal(_ word: StaticString) {
        begin()
        unsafe bytes.append(contentsOf: UnsafeBufferPointer(start: word.utf8Start, count: word.utf8CodeUnitCount))
        needsComma = true
    }

    @inline(__always)
    private mutating func begin() {
        if needsComma { bytes.append(UInt8(ascii: ",")) }
    }

    private mutating func digits(_ value: UInt64) {
        guard value >= 10 else { return bytes.append(UInt8(ascii: "0") + UInt8(truncatingIfNeeded: value)) }
        var text: InlineArray<20, UInt8> = .init(repeating: 0)
        var first = text.count
        var rest = value
        while rest > 0 {
            let (quotient, remainder) = rest.quotientAndRemainder(dividingBy: 10)
            first -= 1
            text[first] = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: remainder)
            rest = quotient
        }
        unsafe text.span.extracting(first...).withUnsafeBufferPointer { unsafe bytes.append(contentsOf: $0) }
    }
}

// Strings, escaped as RFC 8259 section 7 asks: quote, backslash and control characters only.
extension JSONWriter {
    private mutating func quote(_ value: String) {
        var value = value
        bytes.append(UInt8(ascii: "\""))
        value.withUTF8 { text in
            guard unsafe Self.needsEscape(text) else { return unsafe bytes.append(contentsOf: text) }
            var start = 0
            for index in text.indices {
                let byte = unsafe text[index]
                guard byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") else { continue }
                unsafe bytes.append(contentsOf: UnsafeBufferPointer(rebasing: text[start..<index]))
                escape(byte)
                start = index + 1
            }
            unsafe bytes.append(contentsOf: UnsafeBufferPointer(rebasing: text[start...]))
        }
        bytes.append(UInt8(ascii: "\""))
    }

    /// Looks at eight bytes at a time; most strings need no escape.
    ///
    /// In `(x - 0x01…) & ~x & 0x80…` a high bit is set if any byte of `x` is zero, and with 0x20 if any is below that.
    private static func needsEscape(_ text: UnsafeBufferPointer<UInt8>) -> Bool {
        let (ones, highs) = (UInt64(0x0101_0101_0101_0101), UInt64(0x8080_8080_8080_8080))
        let raw = UnsafeRawBufferPointer(text)
        var offset = 0
        while offset &+ 8 <= raw.count {
            let word = unsafe raw.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
            let (quotes, slashes) = (word ^ (ones &* 0x22), word ^ (ones &* 0x5C))
            let control = (word &- ones &* 0x20) & ~word
            let special = ((quotes &- ones) & ~quotes) | ((slashes &- ones) & ~slashes)
            if (control | special) & highs != 0 { return true }
            offset &+= 8
        }
        while offset < raw.count {
            let byte = unsafe raw[offset]
            if byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") { return true }
            offset &+= 1
        }
        return false
    }

    private mutating func escape(_ byte: UInt8) {
        bytes.append(UInt8(ascii: "\\"))
        switch byte {
        case 0x08: bytes.append(UInt8(ascii: "b"))
        case 0x09: bytes.append(UInt8(ascii: "t"))
        case 0x0A: bytes.append(UInt8(ascii: "n"))
        case 0x0C: bytes.append(UInt8(ascii: "f"))
        case 0x0D: bytes.append(UInt8(ascii: "r"))
        case UInt8(ascii: "\""), UInt8(ascii: "\\"): bytes.append(byte)
        default:
            bytes.append(contentsOf: "u00".utf8)
            bytes.append(UInt8(ascii: "0") + byte >> 4)
            bytes.append(contentsOf: String(byte & 0xF, radix: 16).utf8)
        }
    }
}
