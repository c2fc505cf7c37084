import Wire

/// What the API description says of a query. The generated files have one for each.
struct QueryDeclaration: Sendable {
    let summary: String
    /// The parameters that the service receives, those in the path included.
    let parameters: [Shape.Member]
    let response: APISchema

    init(_ summary: String, _ parameters: [Shape.Member], gives response: APISchema) {
        self.summary = summary
        self.parameters = parameters
        self.response = response
    }

    /// Returns the parameters of a request: what neither the path nor the gateway gives.
    func query(besides path: PathTemplate, and given: [String] = []) -> Shape {
        let inPath = path.parameters
        return Shape(parameters.filter { !inPath.contains($0.name) && !given.contains($0.name) })
    }
}

/// A query that a route may name: one with a declaration.
struct DeclaredQuery: Sendable {
    let name: QueryName
    let declaration: QueryDeclaration

    static func sensors(_ name: SensorQueryName) -> DeclaredQuery {
        DeclaredQuery(name: .sensors(name), declaration: name.declaration)
    }

    static func land(_ name: LandQueryName) -> DeclaredQuery {
        DeclaredQuery(name: .land(name), declaration: name.declaration)
    }

    static func lots(_ name: LotQueryName) -> DeclaredQuery {
        DeclaredQuery(name: .lots(name), declaration: name.declaration)
    }

    static func inventory(_ name: InventoryQueryName) -> DeclaredQuery {
        DeclaredQuery(name: .inventory(name), declaration: name.declaration)
    }

    static func recommender(_ name: RecommenderQueryName) -> DeclaredQuery {
        DeclaredQuery(name: .recommender(name), declaration: name.declaration)
    }

    static func market(_ name: MarketQueryName) -> DeclaredQuery {
        DeclaredQuery(name: .market(name), declaration: name.declaration)
    }
}
