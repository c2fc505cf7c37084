internal import CSimdJSON

/// One parsed document: simdjson's tape and the text of its strings.
///
/// The tape is never changed after the parse, so any thread may read it. Its format is simdjson's `doc/tape.md`: the
/// upper 8 bits of a word are its tag, the lower 56 its payload; a number takes a second word.
@safe public final class JSONDocument: @unchecked Sendable {
    private let owner: UnsafeMutableRawPointer
    let tape: UnsafePointer<UInt64>
    let strings: UnsafePointer<UInt8>

    init(_ bytes: UnsafeRawBufferPointer) throws(JSONError) {
        guard bytes.count <= JSONLimits.documentBytesMax else {
            throw JSONError(message: "is longer than \(JSONLimits.documentBytesMax) bytes")
        }
        let start = unsafe bytes.baseAddress?.assumingMemoryBound(to: UInt8.self)
        let parsed = unsafe csimdjson_parse(start, bytes.count, JSONLimits.depthMax)
        guard let owner = unsafe parsed.owner, let tape = unsafe parsed.tape, let strings = unsafe parsed.strings else {
            throw unsafe JSONError(message: Self.meaning(of: parsed.error))
        }
        unsafe (self.owner, self.tape, self.strings) = (owner, tape, strings)
    }

    deinit {
        unsafe csimdjson_free(owner)
    }

    private static func meaning(of error: Int32) -> String {
        switch Int(error) {
        case CSIMDJSON_EMPTY: "is empty"
        case CSIMDJSON_NO_MEMORY: "does not fit into memory"
        case CSIMDJSON_TOO_DEEP: "is nested deeper than \(JSONLimits.depthMax)"
        case CSIMDJSON_BAD_STRING: "holds a malformed string"
        case CSIMDJSON_BAD_NUMBER: "holds a malformed number, or one out of range"
        case CSIMDJSON_BAD_UTF8: "is not UTF-8"
        default: "is not JSON"
        }
    }
}

extension JSONDocument {
    /// Calls `body` with the value at an index; the caller must hold the document during the call.
    ///
    /// No reference is counted unless `body` makes a copy.
    @inlinable
    static func lend<Result>(
        _ document: Unmanaged<JSONDocument>, _ index: Int,
        _ body: (borrowing JSONValue) throws(JSONError) -> Result
    ) throws(JSONError) -> Result {
        try unsafe document._withUnsafeGuaranteedRef { document in
            Swift.Result { () throws(JSONError) in try body(JSONValue(document: document, index: index)) }
        }.get()
    }
}

// Access to the tape.
extension JSONDocument {
    enum Tag {
        static let array = UInt8(ascii: "[")
        static let object = UInt8(ascii: "{")
        static let string = UInt8(ascii: "\"")
        static let signed = UInt8(ascii: "l")
        static let unsigned = UInt8(ascii: "u")
        static let double = UInt8(ascii: "d")
        static let `true` = UInt8(ascii: "t")
        static let `false` = UInt8(ascii: "f")
    }

    @inline(__always)
    func tag(at index: Int) -> UInt8 {
        unsafe UInt8(truncatingIfNeeded: tape[index] >> 56)
    }

    /// Returns the raw second word of a number.
    @inline(__always)
    func number(at index: Int) -> UInt64 {
        unsafe tape[index + 1]
    }

    /// Returns the index after the value that starts at `index`.
    @inline(__always)
    func end(of index: Int) -> Int {
        unsafe Self.end(of: index, on: tape)
    }

    @inline(__always)
    static func end(of index: Int, on tape: UnsafePointer<UInt64>) -> Int {
        let word = unsafe tape[index]
        return switch UInt8(truncatingIfNeeded: word >> 56) {
        case Tag.array, Tag.object: Int(UInt32(truncatingIfNeeded: word))
        case Tag.signed, Tag.unsigned, Tag.double: index + 2
        default: index + 1
        }
    }

    /// Returns the number of elements or members; documents are too short to reach the tape's own bound of 2^24 − 1.
    @inline(__always)
    func count(at index: Int) -> Int {
        unsafe Int((tape[index] >> 32) & 0xFF_FFFF)
    }

    /// Returns the UTF-8 of the string at `index`, valid as long as the document exists.
    @inline(__always)
    func text(at index: Int) -> UnsafeBufferPointer<UInt8> {
        unsafe Self.text(at: index, on: tape, strings)
    }

    @inline(__always)
    static func text(
        at index: Int, on tape: UnsafePointer<UInt64>, _ strings: UnsafePointer<UInt8>
    ) -> UnsafeBufferPointer<UInt8> {
        let start = unsafe strings + Int(tape[index] & 0x00FF_FFFF_FFFF_FFFF)
        let length = unsafe UnsafeRawPointer(start).loadUnaligned(as: UInt32.self)
        return unsafe UnsafeBufferPointer(start: start + 4, count: Int(length))
    }

    func string(at index: Int) -> String {
        // The parser has validated every byte. A string flagged as ASCII is compared and hashed by its bytes, and so
        // are strings derived from it.
        var text = unsafe UTF8Span(unchecked: text(at: index).span)
        _ = text.checkForASCII()
        return String(copying: text)
    }

    /// Returns the index of the value of the first member with this key, or nil.
    ///
    /// Keys are compared byte by byte: two encodings of one character are two keys, as RFC 8259 section 8.3 suggests.
    @inline(__always)
    func member(_ key: borrowing String, of object: Int) -> Int? {
        var key = copy key
        return key.withUTF8 { wanted in
            var index = object + 1
            let end = self.end(of: object) - 1
            while index < end {
                let found = unsafe text(at: index)
                if found.count == wanted.count, unsafe Self.same(found, wanted) { return index + 1 }
                index = self.end(of: index + 1)
            }
            return nil
        }
    }

    /// Returns whether two texts of equal length are equal, comparing eight bytes at a time, the last ones overlapping.
    ///
    /// Most texts are keys, too short for a call of memcmp.
    @inline(__always)
    static func same(_ one: UnsafeBufferPointer<UInt8>, _ other: UnsafeBufferPointer<UInt8>) -> Bool {
        let (left, right) = (UnsafeRawBufferPointer(one), UnsafeRawBufferPointer(other))
        let count = left.count
        if count >= 8 {
            var place = 0
            while place + 8 < count {
                guard unsafe same(left, right, at: place, UInt64.self) else { return false }
                place += 8
            }
            return unsafe same(left, right, at: count - 8, UInt64.self)
        }
        if count >= 4 {
            return unsafe same(left, right, at: 0, UInt32.self) && same(left, right, at: count - 4, UInt32.self)
        }
        return unsafe count == 0
            || same(left, right, at: 0, UInt8.self) && same(left, right, at: count / 2, UInt8.self)
                && same(left, right, at: count - 1, UInt8.self)
    }

    @inline(__always)
    private static func same<Word: FixedWidthInteger>(
        _ one: UnsafeRawBufferPointer, _ other: UnsafeRawBufferPointer, at place: Int, _ type: Word.Type
    ) -> Bool {
        unsafe one.loadUnaligned(fromByteOffset: place, as: Word.self)
            == other.loadUnaligned(fromByteOffset: place, as: Word.self)
    }
}
