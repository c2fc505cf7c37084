@_spi(Reflection) import Swift

/// Reflection on a type, without a value of it: its stored properties and their types.
public struct TypeShape {
    private let type: Any.Type

    /// Reflects a type.
    public init(_ type: Any.Type) {
        self.type = type
    }

    /// The stored properties of a struct, in the order of the source; empty for other types.
    public var properties: [(name: String, type: Any.Type)] {
        var found: [(name: String, type: Any.Type)] = []
        _ = unsafe _forEachField(of: type, options: []) { name, _, type, _ in
            unsafe found.append((String(cString: name), type))
            return true
        }
        return found
    }

    /// The wrapped type of an optional; nil for any other type.
    public var wrapped: Any.Type? { (type as? any Wrapping.Type)?.inside }

    /// The element type of a list; nil for any other type.
    public var element: Any.Type? { (type as? any Listing.Type)?.inside }

    /// The raw values of an enumeration of strings; nil for any other type.
    public var texts: [String]? {
        guard let type = type as? any (CaseIterable & RawRepresentable).Type else { return nil }
        return Self.rawTexts(type)
    }

    /// Whether it is a wrapper of a string, as identifiers are.
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
