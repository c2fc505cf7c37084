/// A file that is generated from the declarations and committed.
public struct GeneratedFile: Sendable {
    /// The path in the repository.
    public let path: String
    /// The contents.
    public let text: String

    /// All generated files.
    public static var all: [GeneratedFile] {
        Family.all.map { family in
            GeneratedFile(
                path: "Shared/\(family.module)/Generated/\(family.swift).swift", text: SwiftSource.of(family))
        }
            + [GeneratedFile(path: "Shared/Events/Generated/EventPayloads.swift", text: SwiftSource.payloads)]
            + [GeneratedFile(path: "Shared/Wire/Generated/CommandNames.swift", text: RequestNames.ofCommands)]
            + [GeneratedFile(path: "Shared/Wire/Generated/QueryNames.swift", text: RequestNames.ofQueries)]
            + [
                GeneratedFile(
                    path: "Services/SyncGateway/Routes/Generated/RecordShapes.swift", text: QuerySource.shapes)
            ]
            + [GeneratedFile(path: "Tests/Static/records.d.ts", text: PageTypes.document)]
            + CommandFamily.all.flatMap { family in
                [
                    GeneratedFile(
                        path: "Services/\(family.folder)/Commands/Generated/\(family.title)Bodies.swift",
                        text: CommandSource.bodies(of: family)),
                    GeneratedFile(
                        path: "Services/SyncGateway/Routes/Generated/\(family.title)Declarations.swift",
                        text: CommandSource.shapes(of: family)),
                ]
            }
            + QueryFamily.all.flatMap { family in
                [
                    GeneratedFile(
                        path: "Services/\(family.folder)/Queries/Generated/\(family.title)Parameters.swift",
                        text: QuerySource.parameters(of: family)),
                    GeneratedFile(
                        path: "Services/\(family.folder)/Queries/Generated/\(family.title)Responses.swift",
                        text: QuerySource.responses(of: family)),
                    GeneratedFile(
                        path: "Services/SyncGateway/Routes/Generated/\(family.title)Declarations.swift",
                        text: QuerySource.declarations(of: family)),
                ]
            }
    }
}
