/// A field of an event or record: its name in JSON and Swift, its type, and what it means.
public struct Field: Sendable {
    /// The name in JSON and in Swift.
    public let name: String
    /// The type of the value.
    public let type: FieldType
    /// What the value means, with its unit or format.
    public let documentation: String

    /// Declares a field.
    public init(_ name: String, _ type: FieldType, _ documentation: String) {
        self.name = name
        self.type = type
        self.documentation = documentation
    }
}
