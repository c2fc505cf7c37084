extension String {
    /// Returns the beginning of the text, at most `limit` bytes of UTF-8, that divides no Unicode scalar.
    public func prefix(bytes limit: Int) -> String {
        guard utf8.count > limit else { return self }
        var bytes = utf8.prefix(limit + 1)
        repeat { bytes = bytes.dropLast() } while !bytes.isEmpty && utf8[bytes.endIndex] & 0xC0 == 0x80
        return String(decoding: bytes, as: UTF8.self)
    }
}

extension String {
    /// Creates a text from ASCII bytes.
    init(plain text: Span<UInt8>) {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.count)
        for index in text.indices { bytes.append(text[index]) }
        self.init(decoding: bytes, as: UTF8.self)
    }
}

extension Span<UInt8> {
    /// Returns the number written in decimal digits in a range; nil for anything else.
    @inline(__always)
    func number(_ range: Range<Int>) -> Int64? {
        var value: Int64 = 0
        for index in range {
            let digit = self[index] &- UInt8(ascii: "0")
            guard digit < 10 else { return nil }
            value = value * 10 + Int64(digit)
        }
        return value
    }

    /// Returns the number written in hexadecimal digits of either case in a range; nil for anything else.
    @inline(__always)
    package func hexNumber(_ range: Range<Int>) -> UInt64? {
        var (value, digits) = (UInt64(0), UInt32(0))
        for index in range {
            let byte = self[index]
            let (number, letter) = (byte &- UInt8(ascii: "0"), (byte | 0x20) &- UInt8(ascii: "a"))
            let digit = number < 10 ? UInt32(number) : UInt32(letter) + 10
            digits |= digit
            value = value << 4 | UInt64(digit)
        }
        return digits < 16 ? value : nil
    }
}
