/// An event: a fact in the past tense. A published version never changes its meaning or its fields' names.
public struct EventType: Sendable {
    /// The fact in lower case with hyphens, as in the wire name: `alarm-raised`.
    public let fact: String
    /// The version, from 1.
    public let version: Int
    /// The name of the Swift type: `AlarmRaised`.
    public let swift: String
    /// What happened, in one or more sentences.
    public let documentation: String
    /// The fields of its data, in the order in which they are written.
    public let fields: [Field]
    /// Whether a hand-written `check()` rejects fields that contradict each other.
    public let isChecked: Bool

    /// Declares an event.
    ///
    /// - Parameter swift: the name of the Swift type; by default the fact's words in camel case.
    public init(
        _ fact: String, version: Int = 1, swift: String? = nil, isChecked: Bool = false, _ documentation: String,
        @FieldList _ fields: () -> [Field]
    ) {
        self.fact = fact
        self.version = version
        self.swift = swift ?? fact.split(separator: "-").map { $0.prefix(1).uppercased() + $0.dropFirst() }.joined()
        self.documentation = documentation
        self.fields = fields()
        self.isChecked = isChecked
    }

    /// Returns the name on the wire within a family: `farm.furrow.sensors.alarm-raised.v1`.
    public func name(in family: Family) -> String { "\(family.prefix)\(fact).v\(version)" }
}

/// An object inside events.
public struct RecordType: Sendable {
    /// The name of the Swift type; `Outer.Inner` for one inside another type.
    public let swift: String
    /// What it describes.
    public let documentation: String
    /// Its fields, in the order in which they are written.
    public let fields: [Field]
    /// Whether its Swift type is written by hand, because its rules cannot be declared.
    public let isHandWritten: Bool

    /// Declares a record.
    public init(
        _ swift: String, isHandWritten: Bool = false, _ documentation: String, @FieldList _ fields: () -> [Field]
    ) {
        self.swift = swift
        self.documentation = documentation
        self.fields = fields()
        self.isHandWritten = isHandWritten
    }
}

/// A closed set of texts.
public struct EnumType: Sendable {
    /// One value of the set.
    public struct Case: Sendable {
        /// The text in JSON.
        public let text: String
        /// What it means.
        public let documentation: String

        /// Declares a value.
        public init(_ text: String, _ documentation: String) {
            self.text = text
            self.documentation = documentation
        }
    }

    /// The name of the Swift type; `Outer.Inner` for one inside another type.
    public let swift: String
    /// What the values distinguish.
    public let documentation: String
    /// The values, in their order.
    public let cases: [Case]

    /// Declares a set.
    public init(_ swift: String, _ documentation: String, _ cases: [Case]) {
        self.swift = swift
        self.documentation = documentation
        self.cases = cases
    }
}

/// Collects the fields of a declaration.
@resultBuilder
public enum FieldList {
    public static func buildBlock(_ fields: Field...) -> [Field] { fields }
}
