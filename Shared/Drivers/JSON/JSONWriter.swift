/// Writes one JSON document into bytes: no spaces, members in the order of the calls.
///
/// It never throws. What JSON cannot represent becomes `null`: NaN, infinities, and containers nested deeper than
/// ``JSONLimits/depthMax`` (see ``isTooDeep``). Requires that the caller writes unique keys, and values only where JSON
/// allows one.
///
/// Every event is written by it, mostly in pieces of a few bytes. It therefore manages its own memory: an array would
/// check uniqueness and capacity for each piece.
///
/// ```
/// var json = JSONWriter()
/// json.object { json in
///     json.field("id", "lot-1")
///     json.field("grams", Int64(500))
/// }
/// let bytes = json.bytes
/// ```
@safe public struct JSONWriter: ~Copyable, @unchecked Sendable {
    private var start: UnsafeMutablePointer<UInt8>
    private var capacity: Int
    private var count = 0
    /// Whether a container was replaced by `null` because it was nested too deep.
    public private(set) var isTooDeep = false
    /// Whether a number was replaced by `null` because it is not finite.
    public private(set) var isLossy = false
    private var depth = 0
    private var needsComma = false

    /// Creates an empty document.
    public init() {
        self.init(reserving: 128)
    }

    /// Creates an empty document with memory for `count` bytes.
    public init(reserving count: Int) {
        capacity = max(count, 16)
        unsafe start = .allocate(capacity: capacity)
    }

    deinit {
        unsafe start.deallocate()
    }

    /// The document.
    public var bytes: [UInt8] { unsafe Array(UnsafeBufferPointer(start: start, count: count)) }

    /// The document's text.
    public var text: String { unsafe String(decoding: UnsafeBufferPointer(start: start, count: count), as: UTF8.self) }
}

// Memory.
extension JSONWriter {
    /// Ensures memory for `more` more bytes.
    @inline(__always)
    private mutating func reserve(_ more: Int) {
        if capacity &- count < more { enlarge(for: more) }
    }

    private mutating func enlarge(for more: Int) {
        capacity = max(capacity * 2, count + more)
        let larger = UnsafeMutablePointer<UInt8>.allocate(capacity: capacity)
        unsafe larger.initialize(from: start, count: count)
        unsafe start.deallocate()
        unsafe start = larger
    }

    /// Appends a byte; the caller has reserved its memory.
    @inline(__always)
    private mutating func put(_ byte: UInt8) {
        unsafe start[count] = byte
        count &+= 1
    }

    /// Appends bytes; the caller has reserved their memory.
    @inline(__always)
    private mutating func put(_ text: UnsafeBufferPointer<UInt8>) {
        guard let first = text.baseAddress else { return }
        unsafe (start + count).initialize(from: first, count: text.count)
        count &+= text.count
    }

    /// Writes a comma if one is due, and reserves memory for `more` bytes after it.
    @inline(__always)
    private mutating func begin(_ more: Int) {
        reserve(more &+ 1)
        if needsComma { put(UInt8(ascii: ",")) }
    }
}

// Containers and their contents.
extension JSONWriter {
    /// Writes an object; `body` writes its members.
    @inlinable
    public mutating func object<E: Error>(_ body: (inout JSONWriter) throws(E) -> Void) throws(E) {
        guard open(UInt8(ascii: "{")) else { return }
        try body(&self)
        close(UInt8(ascii: "}"))
    }

    /// Writes an array; `body` writes its elements.
    @inlinable
    public mutating func array<E: Error>(_ body: (inout JSONWriter) throws(E) -> Void) throws(E) {
        guard open(UInt8(ascii: "[")) else { return }
        try body(&self)
        close(UInt8(ascii: "]"))
    }

    /// Opens a container; returns false, and writes `null` instead, if it is nested too deep.
    @usableFromInline
    mutating func open(_ bracket: UInt8) -> Bool {
        guard depth < JSONLimits.depthMax else {
            isTooDeep = true
            null()
            return false
        }
        begin(1)
        put(bracket)
        depth += 1
        needsComma = false
        return true
    }

    @usableFromInline
    mutating func close(_ bracket: UInt8) {
        depth -= 1
        reserve(1)
        put(bracket)
        needsComma = true
    }

    /// Writes a member.
    @inlinable
    public mutating func field<T: JSONWritable>(_ key: String, _ value: T) {
        self.key(key)
        value.write(to: &self)
        fillEmptyField()
    }

    /// Writes a member, or nothing if the value is nil.
    @inlinable
    public mutating func field<T: JSONWritable>(_ key: String, ifPresent value: T?) {
        if let value { field(key, value) }
    }

    /// Writes a member whose key is ASCII that needs no escapes, without checking it.
    @inlinable
    public mutating func member<T: JSONWritable>(_ key: StaticString, _ value: T) {
        plainKey(key)
        value.write(to: &self)
        fillEmptyField()
    }

    /// Writes a member, or nothing if the value is nil; its key is ASCII that needs no escapes.
    @inlinable
    public mutating func member<T: JSONWritable>(_ key: StaticString, ifPresent value: T?) {
        if let value { member(key, value) }
    }

    /// Writes a member whose value is an object; its key is ASCII that needs no escapes.
    @inlinable
    public mutating func member<E: Error>(
        _ key: StaticString, object body: (inout JSONWriter) throws(E) -> Void
    ) throws(E) {
        plainKey(key)
        try object(body)
    }

    /// Writes a member whose value is already JSON, unchecked; its key is ASCII that needs no escapes.
    public mutating func member(_ key: StaticString, raw json: [UInt8]) {
        plainKey(key)
        raw(json)
        fillEmptyField()
    }

    /// Writes a member whose value is an object; `body` writes its members.
    @inlinable
    public mutating func field<E: Error>(_ key: String, object body: (inout JSONWriter) throws(E) -> Void) throws(E) {
        self.key(key)
        try object(body)
    }

    /// Writes a member whose value is an array; `body` writes its elements.
    @inlinable
    public mutating func field<E: Error>(_ key: String, array body: (inout JSONWriter) throws(E) -> Void) throws(E) {
        self.key(key)
        try array(body)
    }

    /// Writes a member whose value is already JSON, unchecked.
    public mutating func field(_ key: String, raw json: [UInt8]) {
        self.key(key)
        raw(json)
        fillEmptyField()
    }

    /// Writes an element of an array.
    public mutating func element<T: JSONWritable>(_ value: T) {
        value.write(to: &self)
    }

    /// Writes an element that is an object; `body` writes its members.
    public mutating func element<E: Error>(object body: (inout JSONWriter) throws(E) -> Void) throws(E) {
        try object(body)
    }

    /// Writes an element that is an array; `body` writes its elements.
    public mutating func element<E: Error>(array body: (inout JSONWriter) throws(E) -> Void) throws(E) {
        try array(body)
    }

    @usableFromInline
    mutating func key(_ key: String) {
        quote(key)
        reserve(1)
        put(UInt8(ascii: ":"))
        needsComma = false
    }

    @usableFromInline
    mutating func plainKey(_ key: StaticString) {
        begin(key.utf8CodeUnitCount &+ 3)
        put(UInt8(ascii: "\""))
        unsafe put(UnsafeBufferPointer(start: key.utf8Start, count: key.utf8CodeUnitCount))
        put(UInt8(ascii: "\""))
        put(UInt8(ascii: ":"))
        needsComma = false
    }

    /// Writes `null` for a member whose value wrote nothing, which would break the document.
    @usableFromInline
    mutating func fillEmptyField() {
        if !needsComma { null() }
    }
}

// Single values.
extension JSONWriter {
    /// Writes a string, escaped.
    public mutating func string(_ value: String) {
        quote(value)
        needsComma = true
    }

    /// Writes a string of ASCII that needs no escapes, such as digits, without checking it.
    public mutating func string(plain text: Span<UInt8>) {
        begin(text.count &+ 2)
        put(UInt8(ascii: "\""))
        unsafe text.withUnsafeBufferPointer { unsafe put($0) }
        put(UInt8(ascii: "\""))
        needsComma = true
    }

    /// Writes a whole number.
    public mutating func number(_ value: Int64) {
        begin(20)
        if value < 0 { put(UInt8(ascii: "-")) }
        digits(value.magnitude)
        needsComma = true
    }

    /// Writes a whole number.
    public mutating func number(_ value: UInt64) {
        begin(20)
        digits(value)
        needsComma = true
    }

    /// Writes the shortest digits that read back as the same double, always with a point or exponent.
    ///
    /// NaN and infinities become `null`; ``isLossy`` is true from then on.
    public mutating func number(_ value: Double) {
        guard value.isFinite else {
            isLossy = true
            return null()
        }
        unsafe value.description.utf8.span.withUnsafeBufferPointer { text in
            begin(text.count)
            unsafe put(text)
        }
        needsComma = true
    }

    /// Writes `true` or `false`.
    public mutating func bool(_ value: Bool) {
        literal(value ? "true" : "false")
    }

    /// Writes `null`.
    public mutating func null() {
        literal("null")
    }

    /// Writes existing JSON, unchecked; writes nothing if it is empty.
    public mutating func raw(_ json: [UInt8]) {
        guard !json.isEmpty else { return }
        begin(json.count)
        unsafe json.withUnsafeBufferPointer { unsafe put($0) }
        needsComma = true
    }

    private mutating func literal(_ word: StaticString) {
        begin(word.utf8CodeUnitCount)
        unsafe put(UnsafeBufferPointer(start: word.utf8Start, count: word.utf8CodeUnitCount))
        needsComma = true
    }

    /// Writes a number's digits; the caller has reserved twenty bytes.
    private mutating func digits(_ value: UInt64) {
        guard value >= 10 else { return put(UInt8(ascii: "0") + UInt8(truncatingIfNeeded: value)) }
        var text: InlineArray<20, UInt8> = .init(repeating: 0)
        var first = text.count
        var rest = value
        while rest > 0 {
            let (quotient, remainder) = rest.quotientAndRemainder(dividingBy: 10)
            first -= 1
            text[first] = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: remainder)
            rest = quotient
        }
        unsafe text.span.extracting(first...).withUnsafeBufferPointer { unsafe put($0) }
    }
}

// Strings, escaped as RFC 8259 section 7 requires: quote, backslash and control characters only.
extension JSONWriter {
    private mutating func quote(_ value: String) {
        unsafe value.utf8.span.withUnsafeBufferPointer { text in
            begin(text.count &+ 2 &+ Self.word)
            put(UInt8(ascii: "\""))
            let before = count
            unsafe put(text)
            // Most strings need no escape, so they are copied first and scanned afterwards.
            if needsEscape(from: before) {
                count = before
                unsafe putEscaped(text)
                reserve(1)
            }
            put(UInt8(ascii: "\""))
        }
    }

    private mutating func putEscaped(_ text: UnsafeBufferPointer<UInt8>) {
        var start = 0
        for index in text.indices {
            let byte = unsafe text[index]
            guard byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") else { continue }
            reserve(index - start + 6)
            unsafe put(UnsafeBufferPointer(rebasing: text[start..<index]))
            escape(byte)
            start = index + 1
        }
        reserve(text.count - start)
        unsafe put(UnsafeBufferPointer(rebasing: text[start...]))
    }

    private static var word: Int { MemoryLayout<UInt64>.size }

    /// Returns whether a written byte needs an escape, scanning eight at a time.
    ///
    /// Of the last eight, for which memory is reserved, only the written ones count. In `(x - 0x01…) & ~x & 0x80…` a
    /// high bit is set if any byte of `x` is zero, and with 0x20 if any is below that.
    @inline(__always)
    private func needsEscape(from first: Int) -> Bool {
        let (ones, highs) = (UInt64(0x0101_0101_0101_0101), UInt64(0x8080_8080_8080_8080))
        var rest = count &- first
        var place = unsafe UnsafeRawPointer(start + first)
        while rest > 0 {
            var word = unsafe UInt64(littleEndian: place.loadUnaligned(as: UInt64.self))
            if rest < Self.word {
                let written = (1 &<< UInt64(truncatingIfNeeded: rest &* 8)) &- 1
                word = word & written | ones &* UInt64(UInt8(ascii: " ")) & ~written
            }
            let (quotes, slashes) = (word ^ (ones &* 0x22), word ^ (ones &* 0x5C))
            let control = (word &- ones &* 0x20) & ~word
            let special = ((quotes &- ones) & ~quotes) | ((slashes &- ones) & ~slashes)
            if (control | special) & highs != 0 { return true }
            unsafe place += Self.word
            rest &-= Self.word
        }
        return false
    }

    /// Writes an escape; the caller has reserved six bytes.
    private mutating func escape(_ byte: UInt8) {
        put(UInt8(ascii: "\\"))
        switch byte {
        case 0x08: put(UInt8(ascii: "b"))
        case 0x09: put(UInt8(ascii: "t"))
        case 0x0A: put(UInt8(ascii: "n"))
        case 0x0C: put(UInt8(ascii: "f"))
        case 0x0D: put(UInt8(ascii: "r"))
        case UInt8(ascii: "\""), UInt8(ascii: "\\"): put(byte)
        default:
            for digit in [UInt8(ascii: "u"), UInt8(ascii: "0"), UInt8(ascii: "0"), UInt8(ascii: "0") + byte >> 4] {
                put(digit)
            }
            let low = byte & 0xF
            put(low < 10 ? UInt8(ascii: "0") + low : UInt8(ascii: "a") - 10 + low)
        }
    }
}
