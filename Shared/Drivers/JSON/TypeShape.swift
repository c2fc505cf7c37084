@_spi(Reflection) import Swift

/// What the compiler knows of a type, without a value of it: its stored properties and what they are made of.
public struct TypeShape {
    private let type: Any.Type

    public init(_ type: Any.Type) {
        self.type = type
    }

    /// The stored properties of a struct, in the order of the source; none of anything else.
    public var properties: [(name: String, type: Any.Type)] {
        var found: [(name: String, type: Any.Type)] = []
        _ = unsafe _forEachField(of: type, options: []) { name, _, type, _ in
            unsafe found.append((String(cString: name), type))
            return true
        }
        return found
    }

    /// What an optional may hold; nil for any other type.
    public var wrapped: Any.Type? { (type as? any Wrapping.Type)?.inside }

    /// What a list has in it; nil for any other type.
    public var element: Any.Type? { (type as? any Listing.Type)?.inside }

    /// The raw values of an enumeration of texts; nil for any other type.
    public var texts: [String]? {
        guard let type = type as? any (CaseIterable & RawRepresentable).Type else { return nil }
        return Self.rawTexts(type)
    }

    /// Whether it is a name for a text, as identifiers are.
    public var isText: Bool {
        guard let type = type as? any RawRepresentable.Type else { return false }
        return Self.hasText(type)
    }

    private static func rawTexts<T: CaseIterable & RawRepresentable>(_ type: T.Type) -> [String]? {
        let texts = type.allCases.compactMap { $0.rawValue as? String }
        return texts.isEmpty ? nil : texts
    }

    private static func hasText<T: RawRepresentable>(_ type: T.Type) -> Bool { T.RawValue.self == String.self }
}

private protocol Wrapping { static var inside: Any.Type { get } }
private protocol Listing { static var inside: Any.Type { get } }

extension Optional: Wrapping { fileprivate static var inside: Any.Type { Wrapped.self } }
extension Array: Listing { fileprivate static var inside: Any.Type { Element.self } }
