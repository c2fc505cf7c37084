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
            + [GeneratedFile(path: "Shared/Wire/Generated/CommandNames.swift", text: CommandSource.names)]
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
    }
}
