import Events
import Wire

extension Route {
    /// Creates the route of a change that another service decides.
    static func command(
        _ method: Method, _ path: PathTemplate, _ command: DeclaredCommand, for role: Role, gives: Shape,
        status: Int = 201
    ) -> Route {
        let declaration = command.declaration
        var route = Route(
            method, path, command.name.request.rawValue, .atLeast(role), .command(command.name), declaration.summary,
            [:], .json(declaration.body(besides: path)), .json(status, .object(gives)))
        route.pathDocumentation = meanings(of: declaration.members)
        return route
    }

    /// Creates the route of a query to another service, for all of the staff.
    static func query(
        _ path: PathTemplate, _ query: QueryName, for role: Role = .auditor, _ summary: String,
        where parameters: Shape = [:], gives: APISchema
    ) -> Route {
        Route(
            .get, path, query.request.rawValue, .atLeast(role), .query(query), summary, parameters, .nothing,
            .json(200, gives))
    }

    /// Creates the route of a query for a list that is also available as CSV, all its pages in one response.
    static func table(
        _ path: PathTemplate, _ query: QueryName, _ summary: String, where parameters: Shape,
        gives: APISchema
    ) -> Route {
        var route = Route.query(path, query, summary, where: parameters, gives: gives)
        route.isTable = true
        route.parameters += (["format?": .words(["json", "csv"])] as Shape).parameters
        return route
    }

    /// Creates the route of a change without a body.
    static func removal(
        _ path: PathTemplate, _ command: DeclaredCommand, for role: Role, gives: Shape
    ) -> Route {
        var route = Route(
            .delete, path, command.name.request.rawValue, .atLeast(role), .command(command.name),
            command.declaration.summary, [:], .nothing, .json(200, .object(gives)))
        route.pathDocumentation = meanings(of: command.declaration.members)
        return route
    }

    /// Creates the route of a declared query, for all of the staff.
    static func query(_ path: PathTemplate, _ query: DeclaredQuery, for role: Role = .auditor) -> Route {
        declared(path, query, for: .atLeast(role))
    }

    /// Creates the route of a declared query of buyers about their own data.
    static func ownQuery(_ path: PathTemplate, _ query: DeclaredQuery) -> Route {
        declared(path, query, for: .atLeast(.buyer))
    }

    /// Creates the route of a declared query without authentication.
    static func open(_ path: PathTemplate, _ query: DeclaredQuery) -> Route { declared(path, query, for: .everyone) }

    /// Creates the route of a public query whose response is the same for all callers and has an entity tag.
    static func shared(_ path: PathTemplate, _ query: DeclaredQuery) -> Route {
        var route = declared(path, query, for: .everyone)
        route.isShared = true
        route.headers = (["If-None-Match?": .text] as Shape).parameters
        return route
    }

    private static func declared(_ path: PathTemplate, _ query: DeclaredQuery, for access: Access) -> Route {
        let declaration = query.declaration
        var route = Route(
            .get, path, query.name.request.rawValue, access, .query(query.name), declaration.summary,
            declaration.query(besides: path), .nothing, .json(200, declaration.response))
        route.pathDocumentation = meanings(of: declaration.parameters)
        return route
    }

    /// Creates the route of a declared query for which the gateway gives some parameters itself.
    static func own(
        _ path: PathTemplate, _ action: Action, for access: Access, _ query: DeclaredQuery, giving given: [String] = []
    ) -> Route {
        let declaration = query.declaration
        var route = Route.own(
            .get, path, action, for: access, declaration.summary, where: declaration.query(besides: path, and: given),
            gives: .json(200, declaration.response))
        route.pathDocumentation = meanings(of: declaration.parameters)
        return route
    }

    private static func meanings(of members: [Shape.Member]) -> [String: String] {
        Dictionary(members.compactMap { one in one.documentation.map { (one.name, $0) } }, uniquingKeysWith: { $1 })
    }

    /// Creates the route of a request that the gateway handles itself.
    static func own(
        _ method: Method, _ path: PathTemplate, _ action: Action, for access: Access, _ summary: String,
        where parameters: Shape = [:], headers: Shape = [:], takes: BodyFormat = .nothing, gives: Outcome
    ) -> Route {
        var route = Route(method, path, action.name, access, .own(action), summary, parameters, takes, gives)
        route.headers = headers.parameters
        return route
    }
}

extension Shape {
    var parameters: [Route.Parameter] {
        members.map { member in
            Route.Parameter(
                name: member.name, schema: member.schema, isRequired: member.isRequired,
                documentation: member.documentation)
        }
    }
}
