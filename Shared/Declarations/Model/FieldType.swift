public import JSON

/// The type of a field's value.
public indirect enum FieldType: Sendable {
    /// A value of a Swift type that reads and writes its own JSON.
    case value(ValueType)
    /// One of a closed set of texts.
    case enumeration(EnumType)
    /// An object.
    case record(RecordType)
    /// A list of values.
    case list(FieldType)
    /// A value that may be absent; the field is then omitted.
    case optional(FieldType)
    /// A list that is omitted if empty.
    case listUnlessEmpty(FieldType)
    /// A whole number that is omitted if it is 0.
    case integerUnlessZero
    /// The fields of another type, as if they were those of the object itself; only in responses.
    case fields(ofSwift: String, [Field], of: RecordType?)

    /// The same type, for a field that may be absent.
    public var optional: FieldType { .optional(self) }

    /// Returns the fields of a record.
    static func fields(of record: RecordType) -> FieldType { .fields(ofSwift: record.swift, record.fields, of: record) }

    /// Returns the fields of an event.
    static func fields(of event: EventType) -> FieldType { .fields(ofSwift: event.swift, event.fields, of: nil) }

    /// Returns a list of values of `element`.
    public static func list(of element: FieldType) -> FieldType { .list(element) }

    /// Whether a reader accepts an object without the field.
    public var isOptional: Bool {
        switch self {
        case .optional, .listUnlessEmpty, .integerUnlessZero: true
        case .value, .enumeration, .record, .list, .fields: false
        }
    }
}

/// A Swift type of another module that reads and writes its own JSON.
public struct ValueType: Sendable {
    /// The name in Swift.
    public let swift: String
    /// The module that declares it; nil for the standard library.
    public let module: String?
    /// The JSON Schema of its values.
    public let schema: JSONAny

    /// Declares a type.
    public init(_ swift: String, in module: String? = nil, schema: JSONAny) {
        self.swift = swift
        self.module = module
        self.schema = schema
    }
}
