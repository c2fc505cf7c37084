/// The Swift source of a service's commands: for the service one type for the body of each, for the gateway the shapes.
struct CommandSource {
    private let family: CommandFamily
    private var source = SwiftText()

    /// Returns the source of the types that the service receives.
    static func bodies(of family: CommandFamily) -> String {
        var source = CommandSource(family: family)
        source.source.begin(importing: ["Events", "JSON", "Vocabulary", "Wire"])
        for record in source.records {
            if !record.isOfEvents { source.write(record) }
            if !record.isCheckedByRules { source.writeLimits(of: record) }
        }
        for command in family.commands where !command.members.isEmpty {
            source.source.request(command.swift, command.documentation, command.members)
        }
        return source.source.text
    }

    /// Returns the source of the declarations that the gateway reads.
    static func shapes(of family: CommandFamily) -> String {
        var source = CommandSource(family: family)
        source.source.begin(importing: ["Events", "Vocabulary", "Wire"])
        source.writeShapes()
        return source.source.text
    }

    private init(family: CommandFamily) {
        self.family = family
    }

    /// The objects inside the bodies, each once, inner ones first.
    private var records: [BodyRecord] {
        var seen: Set<String> = []
        return family.commands.flatMap { $0.members.flatMap(\.type.records) }.filter { seen.insert($0.swift).inserted }
    }

    private mutating func write(_ record: BodyRecord) {
        source.line()
        source.documentation(record.documentation)
        source.block("struct \(record.swift): Sendable, Equatable, JSONReadable") { source in
            source.properties(record.members)
        }
        source.line()
        source.block("extension \(record.swift)") { source in
            source.line("/// Reads the members; throws if one is missing or malformed.")
            source.block("init(json: borrowing JSONValue) throws(JSONError)") { source in
                source.line("var members = try JSONMembers(of: json)")
                for member in record.members {
                    source.line("let \(member.swift): \(member.type.swift) = \(member.readingOfRecord)")
                }
                source.list("self.init(", record.members.map { "\($0.swift): \($0.swift)" }, ")", final: ")")
            }
        }
    }

    private mutating func writeLimits(of record: BodyRecord) {
        source.line()
        source.block("extension \(record.swift)") { source in
            source.line("/// Throws 400 if a value is outside its limits.")
            source.block("func checkLimits() throws(Problem)") { source in
                for check in record.members.flatMap(\.checks) { source.lines(of: check) }
            }
        }
    }

    private mutating func writeShapes() {
        source.line()
        source.block("extension \(family.names)") { source in
            source.line("/// What each command does and takes.")
            source.block("var declaration: CommandDeclaration") { source in
                source.line("switch self {")
                for command in family.commands { source.line("case .\(command.swiftCase): \(command.constant)") }
                source.line("}")
            }
        }
        for command in family.commands {
            source.declaration(command.constant, "CommandDeclaration", command.documentation, command.members)
        }
        for record in records {
            source.line()
            source.group("private let \(record.constant) = Shape([", "])") { $0.shape(record.members) }
        }
    }
}

extension CommandType {
    /// The case of the enumeration of names: `placeOrder`.
    var swiftCase: String { swift.lowerFirst }

    /// The name of the gateway's constant.
    fileprivate var constant: String { "\(swiftCase)Declaration" }
}

extension BodyRecord {
    /// The name of the gateway's constant.
    var constant: String { "\(swift.replacing(".", with: "").lowerFirst)Shape" }
}
