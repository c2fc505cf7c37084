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
