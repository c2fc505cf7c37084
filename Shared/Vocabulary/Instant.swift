public import JSON

/// A moment in UTC, to the microsecond; written as RFC 3339 with six decimals and `Z`.
public struct Instant: Hashable, Comparable, Sendable {
    /// Microseconds since 1970-01-01T00:00:00Z.
    public let microseconds: Int64

    /// Creates a moment from microseconds since 1970-01-01T00:00:00Z.
    public init(microseconds: Int64) {
        self.microseconds = microseconds
    }

    public static func < (left: Instant, right: Instant) -> Bool {
        left.microseconds < right.microseconds
    }

    /// Returns the moment `seconds` later, or earlier if negative.
    public func advanced(bySeconds seconds: Double) -> Instant {
        Instant(microseconds: microseconds + Int64((seconds * 1_000_000).rounded()))
    }

    /// Returns the seconds from `other` to this moment; negative if this one is earlier.
    public func seconds(since other: Instant) -> Double {
        Double(microseconds - other.microseconds) / 1_000_000
    }

    /// The start of the hour (UTC) that contains this moment.
    public var hour: Instant {
        Instant(microseconds: microseconds - microseconds.remainder(floored: 3_600_000_000))
    }
}

extension Instant: CustomStringConvertible {
    /// The first moment that RFC 3339 can represent: the start of the year 0.
    public static let earliest = Instant(microseconds: -62_167_219_200_000_000)
    /// The last moment that RFC 3339 can represent: the end of the year 9999.
    public static let latest = Instant(microseconds: 253_402_300_799_999_999)

    /// RFC 3339, always 27 characters: `2026-05-03T07:15:00.000000Z`.
    ///
    /// A moment outside of RFC 3339's years is written as the nearest inside them.
    public var description: String {
        let text = text
        return String(plain: text.span)
    }

    private var text: InlineArray<27, UInt8> {
        let written = min(max(self, .earliest), .latest).microseconds
        let days = written.quotient(floored: 86_400_000_000)
        let rest = written.remainder(floored: 86_400_000_000)
        let date = CivilDate(daysSince1970: days)
        let seconds = rest / 1_000_000
        var text: InlineArray<27, UInt8> = .init(repeating: UInt8(ascii: "-"))
        func put(_ value: Int64, _ range: ClosedRange<Int>) {
            var rest = value
            for index in range.reversed() {
                text[index] = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: rest % 10)
                rest /= 10
            }
        }
        put(date.year, 0...3)
        put(date.month, 5...6)
        put(date.day, 8...9)
        text[10] = UInt8(ascii: "T")
        put(seconds / 3600, 11...12)
        text[13] = UInt8(ascii: ":")
        put(seconds / 60 % 60, 14...15)
        text[16] = UInt8(ascii: ":")
        put(seconds % 60, 17...18)
        text[19] = UInt8(ascii: ".")
        put(rest % 1_000_000, 20...25)
        text[26] = UInt8(ascii: "Z")
        return text
    }

    /// The calendar day in UTC: `2026-05-03`.
    public var day: String { String(description.prefix(10)) }

    /// Reads RFC 3339 as `init(_:)` does.
    public init?(utf8 text: Span<UInt8>) {
        if let written = Self(written: text) { self = written } else { self.init(String(plain: text)) }
    }

    /// Reads the exact format of `description`; nil for anything else.
    private init?(written text: Span<UInt8>) {
        guard text.count == 27, text[4] == UInt8(ascii: "-"), text[7] == UInt8(ascii: "-"),
            text[10] == UInt8(ascii: "T"), text[13] == UInt8(ascii: ":"), text[16] == UInt8(ascii: ":"),
            text[19] == UInt8(ascii: "."), text[26] == UInt8(ascii: "Z"), let year = text.number(0..<4),
            let month = text.number(5..<7), let day = text.number(8..<10), let hour = text.number(11..<13),
            let minute = text.number(14..<16), let second = text.number(17..<19), let fraction = text.number(20..<26),
            (1...12).contains(month), (1...31).contains(day), hour < 24, minute < 60, second < 60
        else { return nil }
        let date = CivilDate(year: year, month: month, day: day)
        let days = date.daysSince1970
        // Only a day after the 28th can be missing in a month.
        guard day <= 28 || CivilDate(daysSince1970: days) == date else { return nil }
        microseconds = (days * 86_400 + hour * 3600 + minute * 60 + second) * 1_000_000 + fraction
    }

    /// Reads RFC 3339 with `Z` or an offset; nil for anything else, and for moments outside the years 0 to 9999 in UTC.
    ///
    /// A leap second is read as the first second of the next day.
    public init?(_ text: String) {
        var reader = DigitReader(text)
        guard let year = reader.number(4), reader.skip("-"), let month = reader.number(2), reader.skip("-"),
            let day = reader.number(2), reader.skip("T") || reader.skip("t") || reader.skip(" "),
            let hour = reader.number(2), reader.skip(":"), let minute = reader.number(2), reader.skip(":"),
            let second = reader.number(2), (1...12).contains(month), (1...31).contains(day), hour < 24, minute < 60,
            second <= 60
        else { return nil }
        let fraction = reader.skip(".") ? reader.fraction() : 0
        guard let fraction, let offset = reader.offset(), reader.atEnd else { return nil }
        let date = CivilDate(year: year, month: month, day: day)
        guard CivilDate(daysSince1970: date.daysSince1970) == date else { return nil }
        let seconds = date.daysSince1970 * 86_400 + hour * 3600 + minute * 60 + second - offset
        guard second < 60 || seconds.remainder(floored: 86_400) == 0 else { return nil }
        self.init(microseconds: seconds * 1_000_000 + fraction)
        guard (Self.earliest...Self.latest).contains(self) else { return nil }
    }
}

extension Instant: JSONReadable, JSONWritable {
    public init(json: borrowing JSONValue) throws(JSONError) {
        self = try json.text("expected a time as in RFC 3339") { Instant(utf8: $0) }
    }

    public func write(to json: inout JSONWriter) {
        let text = text
        json.string(plain: text.span)
    }
}

/// Parses the fixed-width digits of a time.
private struct DigitReader {
    private var rest: Substring.UTF8View

    init(_ text: String) {
        rest = text[...].utf8
    }

    var atEnd: Bool { rest.isEmpty }

    mutating func skip(_ character: Character) -> Bool {
        guard let first = rest.first, first == character.asciiValue else { return false }
        rest.removeFirst()
        return true
    }

    mutating func number(_ width: Int) -> Int64? {
        var value: Int64 = 0
        for _ in 0..<width {
            guard let digit = digit() else { return nil }
            value = value * 10 + digit
        }
        return value
    }

    /// Reads one to nine decimals as microseconds; finer digits are truncated.
    mutating func fraction() -> Int64? {
        var value: Int64 = 0
        var width = 0
        while let digit = digit() {
            width += 1
            guard width <= 9 else { return nil }
            if width <= 6 { value = value * 10 + digit }
        }
        guard width > 0 else { return nil }
        for _ in min(width, 6)..<6 { value *= 10 }
        return value
    }

    /// Reads the offset in seconds east of UTC.
    mutating func offset() -> Int64? {
        if skip("Z") || skip("z") { return 0 }
        let sign: Int64
        if skip("+") { sign = 1 } else if skip("-") { sign = -1 } else { return nil }
        guard let hours = number(2), skip(":"), let minutes = number(2), hours < 24, minutes < 60 else { return nil }
        return sign * (hours * 3600 + minutes * 60)
    }

    private mutating func digit() -> Int64? {
        guard let first = rest.first, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(first) else { return nil }
        rest.removeFirst()
        return Int64(first - UInt8(ascii: "0"))
    }
}
