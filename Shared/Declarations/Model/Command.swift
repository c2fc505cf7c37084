/// A command: a request to change something, with the members of its body.
///
/// The service that decides it receives a Swift type, the gateway validates requests against its shape, and the API
/// description has its sentences. The body includes what the route takes from the path.
public struct CommandType: Sendable {
    /// The name on the wire: `place-order`.
    public let name: String
    /// What it does, in one or more sentences.
    public let documentation: String
    /// The members of its body.
    public let members: [Member]
    /// The name of the Swift type: `PlaceOrder`.
    public let swift: String

    /// Declares a command.
    ///
    /// - Parameter swift: the name of the Swift type; by default the name's words in camel case.
    public init(
        _ name: String, swift: String? = nil, _ documentation: String,
        @MemberList _ members: () -> [Member] = { [] }
    ) {
        self.name = name
        self.swift = swift ?? name.words
        self.documentation = documentation
        self.members = members()
    }
}

/// A member of a body: its name in JSON and Swift, its type with its limits, and what it means.
public struct Member: Sendable {
    /// The name in JSON.
    public let name: String
    /// The name in Swift, where that of JSON is a word of the language.
    public let swift: String
    /// The type of the value.
    public let type: MemberType
    /// What the value means, with its unit.
    public let documentation: String

    /// Declares a member; its name in Swift is by default that in JSON.
    public init(_ name: String, swift: String? = nil, _ type: MemberType, _ documentation: String) {
        self.name = name
        self.swift = swift ?? name
        self.type = type
        self.documentation = documentation
    }
}

/// An object inside bodies.
public struct BodyRecord: Sendable {
    /// The name of the Swift type.
    public let swift: String
    /// What it describes.
    public let documentation: String
    /// Its members.
    public let members: [Member]
    /// Whether the Swift type is a record of events, whose values it has within narrower limits.
    public let isOfEvents: Bool
    /// Whether a rule of the service checks the limits, too, because it can say what is wrong in better words.
    public let isCheckedByRules: Bool

    /// Declares an object.
    public init(
        _ swift: String, isOfEvents: Bool = false, isCheckedByRules: Bool = false, _ documentation: String,
        @MemberList _ members: () -> [Member]
    ) {
        self.swift = swift
        self.documentation = documentation
        self.members = members()
        self.isOfEvents = isOfEvents
        self.isCheckedByRules = isCheckedByRules
    }
}

/// Commands of one service.
public struct CommandFamily: Sendable {
    /// The name of the enumeration of their names: `MarketCommandName`.
    public let names: String
    /// What they are about, in one sentence or more.
    public let documentation: String
    /// The name of the service on the wire: `catalog-orders`.
    public let service: String
    /// The commands.
    public let commands: [CommandType]

    /// Declares commands of a service.
    public init(_ names: String, of service: String, _ documentation: String, _ commands: [CommandType]) {
        self.names = names
        self.service = service
        self.documentation = documentation
        self.commands = commands
    }

    /// The folder of the service: `CatalogOrders`.
    var folder: String { service.words }

    /// What the names of its generated files begin with: `MarketCommand`.
    var title: Substring { names.dropLast("Name".count) }

    /// All families.
    public static let all: [CommandFamily] = [.ledger, .sensors, .market, .contact, .recommender]
}

/// Collects the members of a body.
@resultBuilder
public enum MemberList {
    public static func buildExpression(_ member: Member) -> [Member] { [member] }
    public static func buildExpression(_ members: [Member]) -> [Member] { members }
    public static func buildBlock(_ members: [Member]...) -> [Member] { members.flatMap(\.self) }
}

extension String {
    /// The words between hyphens, each with a capital letter, in one: `PlaceOrder`.
    var words: String {
        split(separator: "-").map { $0.prefix(1).uppercased() + $0.dropFirst() }.joined()
    }
}
