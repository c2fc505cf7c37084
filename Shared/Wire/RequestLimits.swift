public import JSON
public import Vocabulary

/// Members with limits, as declarations name them. Each throws a 400 that names the member and its limits.
extension RequestBody {
    /// Reads a required whole number.
    public func whole(_ name: String, in range: ClosedRange<Int>) throws(Problem) -> Int {
        try within(range, try get(name), name)
    }

    /// Reads an optional whole number; nil if it is absent or null.
    public func optionalWhole(_ name: String, in range: ClosedRange<Int>) throws(Problem) -> Int? {
        guard let value: Int = try find(name) else { return nil }
        return try within(range, value, name)
    }

    /// Reads a required number.
    public func number(_ name: String, in range: ClosedRange<Double>) throws(Problem) -> Double {
        try within(range, try get(name), name)
    }

    /// Reads an optional number; nil if it is absent or null.
    public func optionalNumber(_ name: String, in range: ClosedRange<Double>) throws(Problem) -> Double? {
        guard let value: Double = try find(name) else { return nil }
        return try within(range, value, name)
    }

    /// Reads a required amount of money; the range is that of its minor units.
    public func money(_ name: String, in range: ClosedRange<Int>) throws(Problem) -> Money {
        try within(range, try get(name), name)
    }

    /// Reads an optional amount of money; nil if it is absent or null.
    public func optionalMoney(_ name: String, in range: ClosedRange<Int>) throws(Problem) -> Money? {
        guard let value: Money = try find(name) else { return nil }
        return try within(range, value, name)
    }

    /// Reads a required list.
    public func list<Element: JSONReadable>(
        _ name: String, count: ClosedRange<Int>
    ) throws(Problem) -> [Element] {
        try within(count, try get(name), name)
    }

    /// Reads an optional list; nil if it is absent or null.
    public func optionalList<Element: JSONReadable>(
        _ name: String, count: ClosedRange<Int>
    ) throws(Problem) -> [Element]? {
        guard let list: [Element] = try find(name) else { return nil }
        return try within(count, list, name)
    }

    /// Reads an optional name; nil if it is absent or null.
    public func optionalName(_ name: String) throws(Problem) -> String? {
        try has(name) ? self.name(name) : nil
    }

    /// Reads the required number of a lot.
    public func lot(_ name: String) throws(Problem) -> LotID {
        guard let lot = try optionalLot(name) else {
            throw Problem(400, "malformed", "\(name): name the lot.")
        }
        return lot
    }

    /// Reads the optional number of a lot; nil if it is absent, null or empty.
    public func optionalLot(_ name: String) throws(Problem) -> LotID? {
        guard let number = try optionalText(name, limit: 20) else { return nil }
        let isGood = number.utf8.allSatisfy { byte in
            (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte)
                || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) || byte == UInt8(ascii: "-")
        }
        guard isGood else {
            throw Problem(400, "malformed", "\(name): use up to 20 upper case letters, digits and hyphens.")
        }
        return LotID(number)
    }

    /// Reads a member that stays as it was if absent and is removed if null; `value` reads one that is there.
    public func change<Value>(
        _ name: String, _ value: @autoclosure () throws(Problem) -> Value?
    ) throws(Problem) -> Change<Value> {
        guard json[name] != nil else { return .none }
        return try value().map { .set($0) } ?? .remove
    }

    /// Reads one of the words.
    public func word(_ name: String, of words: [String]) throws(Problem) -> String {
        let word: String = try get(name)
        guard words.contains(word) else {
            throw Problem(400, "malformed", "\(name): use one of \(words.joined(separator: ", ")).")
        }
        return word
    }

    /// Reads an optional address of a web page; nil if it is absent, null or empty.
    public func optionalLink(_ name: String, limit: Int) throws(Problem) -> String? {
        guard let address = try optionalText(name, limit: limit) else { return nil }
        guard address.hasPrefix("https://") || address.hasPrefix("http://") else {
            throw Problem(400, "malformed", "\(name): begin with https:// or http://.")
        }
        return address
    }

    private func within<Number>(
        _ range: ClosedRange<Number>, _ value: Number, _ name: String
    ) throws(Problem) -> Number {
        try Self.check(value, name, in: range)
        return value
    }

    private func within(_ range: ClosedRange<Int>, _ value: Money, _ name: String) throws(Problem) -> Money {
        try Self.check(value, name, in: range)
        return value
    }

    private func within<Element>(
        _ count: ClosedRange<Int>, _ list: [Element], _ name: String
    ) throws(Problem) -> [Element] {
        try Self.check(list, name, count: count)
        return list
    }
}

/// What a request does to a value that may be missing.
public enum Change<Value: Sendable & Equatable>: Sendable, Equatable {
    /// The value stays as it was.
    case none
    case remove
    case set(Value)

    /// Returns the value after the change.
    public func applied(to before: Value?) -> Value? {
        switch self {
        case .none: before
        case .remove: nil
        case .set(let value): value
        }
    }
}

/// Limits of values that were read already.
extension RequestBody {
    /// Throws 400 if a number is outside the range.
    public static func check<Number>(
        _ value: Number, _ name: String, in range: ClosedRange<Number>
    ) throws(Problem) {
        guard range.contains(value) else {
            throw Problem(400, "malformed", "\(name): \(range.lowerBound) to \(range.upperBound).")
        }
    }

    /// Throws 400 if the number of minor units of an amount is outside the range.
    public static func check(_ value: Money, _ name: String, in range: ClosedRange<Int>) throws(Problem) {
        guard let minor = Int(exactly: value.minor), range.contains(minor) else {
            throw Problem(
                400, "malformed",
                "\(name): \(range.lowerBound) to \(range.upperBound) in the smallest unit of the currency.")
        }
    }

    /// Throws 400 if a list has too few or too many elements.
    public static func check<Element>(
        _ list: [Element], _ name: String, count: ClosedRange<Int>
    ) throws(Problem) {
        guard count.contains(list.count) else {
            throw Problem(400, "malformed", "\(name): \(count.lowerBound) to \(count.upperBound) of them.")
        }
    }
}
