import Wire

/// What the API description says of a command. The generated files have one for each.
struct CommandDeclaration: Sendable {
    let summary: String
    /// The members of the body that the service receives.
    let members: [Shape.Member]

    init(_ summary: String, _ members: [Shape.Member]) {
        self.summary = summary
        self.members = members
    }

    /// Returns the body of a request: what the path does not contain.
    func body(besides path: PathTemplate) -> Shape {
        let inPath = path.parameters
        return Shape(members.filter { !inPath.contains($0.name) })
    }
}

/// A command that a route may name: one with a declaration.
struct DeclaredCommand: Sendable {
    let name: CommandName
    let declaration: CommandDeclaration

    static func ledger(_ name: LedgerCommandName) -> DeclaredCommand {
        DeclaredCommand(name: .ledger(name), declaration: name.declaration)
    }

    static func sensors(_ name: SensorCommandName) -> DeclaredCommand {
        DeclaredCommand(name: .sensors(name), declaration: name.declaration)
    }

    static func market(_ name: MarketCommandName) -> DeclaredCommand {
        DeclaredCommand(name: .market(name), declaration: name.declaration)
    }

    static func contact(_ name: ContactCommandName) -> DeclaredCommand {
        DeclaredCommand(name: .contact(name), declaration: name.declaration)
    }

    static func recommender(_ name: RecommenderCommandName) -> DeclaredCommand {
        DeclaredCommand(name: .recommender(name), declaration: name.declaration)
    }
}
