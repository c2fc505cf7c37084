/// The Swift source of the enumerations of request names.
enum RequestNames {
    /// The names of all commands.
    static var ofCommands: String {
        source(
            CommandFamily.all.map { family in
                Enumeration(
                    swift: family.names, documentation: family.documentation, service: family.service,
                    cases: family.commands.map { ($0.swift.lowerFirst, $0.name, $0.documentation) })
            })
    }

    /// The names of all queries.
    static var ofQueries: String {
        source(
            QueryFamily.all.map { family in
                Enumeration(
                    swift: family.names, documentation: family.documentation, service: family.service,
                    cases: family.queries.map { ($0.swift.lowerFirst, $0.name, $0.documentation) })
            })
    }

    private struct Enumeration {
        let swift: String
        let documentation: String
        let service: String
        let cases: [(swift: String, name: String, documentation: String)]
    }

    private static func source(_ enumerations: [Enumeration]) -> String {
        var source = SwiftText()
        source.line(SwiftText.heading(of: "Requests"))
        for enumeration in enumerations {
            source.line()
            source.documentation(enumeration.documentation)
            source.block("public enum \(enumeration.swift): String, RequestName") { source in
                source.line("public static let service = \(enumeration.service.literal)")
                source.line()
                for (swift, name, documentation) in enumeration.cases {
                    source.documentation(documentation)
                    source.line("case \(swift)\(swift == name ? "" : " = \(name.literal)")")
                }
            }
        }
        return source.text
    }
}

extension String {
    /// The name with its first letter in lower case: `placeOrder`.
    var lowerFirst: String { prefix(1).lowercased() + dropFirst() }
}
