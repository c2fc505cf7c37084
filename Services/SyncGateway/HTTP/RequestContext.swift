import Crypto
import EventSourcing
import Events
import HTTP
import Host
import JSON
import Vocabulary
import Wire

/// A request with its route, after it has passed ``RequestGuard``.
struct RequestContext {
    let web: WebRequest
    let route: Route
    /// The parameters of the path and those of the query that the route defines.
    var parameters: [(name: String, value: String)]
    let caller: Caller?
    /// The radio gateway that calls with its own token; nil for other callers.
    let gateway: RadioGateway?
    let key: String?

    func parameter(_ name: String) -> String? {
        parameters.first { $0.name == name }?.value
    }

    var actor: Actor { caller.map { .person($0.person) } ?? gateway?.actor ?? .service(SyncGateway.name) }

    /// Parses the request's JSON body; throws a `Problem` if it is malformed.
    func body() throws(Problem) -> RequestBody {
        try RequestBody(web.request.body)
    }

    /// Throws if the body does not match its schema in the API description.
    func checkBody() throws(Problem) {
        guard case .json(let shape) = route.takes else { return }
        guard !web.request.body.isEmpty else {
            throw Problem(400, "malformed", "Send a JSON object: {} if there is nothing to say.")
        }
        let body = try body()
        do {
            try shape.check(body.json)
        } catch {
            throw Problem(400, "malformed", error.path.isEmpty ? "\(error)." : "\(error.path): \(error.message).")
        }
    }

    /// Returns the body of the forwarded request: the body's members, then the parameters, which override members of
    /// the same name.
    func ask() throws(Problem) -> [UInt8] {
        var json = JSONWriter(reserving: web.request.body.count + 128)
        do throws(JSONError) {
            try json.object { json throws(JSONError) in
                // The member `person` was checked already (``RequestGuard``); it is not forwarded.
                var seen = Set(parameters.map(\.name)).union(["person"])
                if case .json = route.takes {
                    let body: JSONValue
                    do throws(Problem) { body = try self.body().json } catch {
                        throw JSONError(message: error.detail)
                    }
                    guard let members = body.object else { throw JSONError(message: "expected an object") }
                    for (name, value) in members where seen.insert(name).inserted {
                        json.field(name, try JSONAny(json: value))
                    }
                }
                for (name, value) in parameters { try write(name, value, &json) }
            }
        } catch {
            throw .malformed(error)
        }
        return json.bytes
    }

    private func write(_ name: String, _ value: String, _ json: inout JSONWriter) throws(JSONError) {
        switch route.parameters.first(where: { $0.name == name })?.schema {
        case .integer, .whole:
            guard let number = Int64(value) else { throw JSONError(message: "expected a whole number", path: name) }
            json.field(name, number)
        case .number, .between:
            guard let number = Double(value) else { throw JSONError(message: "expected a number", path: name) }
            json.field(name, number)
        default: json.field(name, value)
        }
    }
}

/// The authenticated caller of a request.
struct Caller: Sendable, Equatable {
    let person: PersonID
    let name: String
    let email: String
    let role: Role
    /// The id of the session; nil for the demonstration's token.
    let session: String?
    /// The language of the person's pages and messages; nil if the person has chosen none.
    var language: PageLanguage?

    func write(to json: inout JSONWriter) {
        json.field("person", person)
        json.field("name", name)
        json.field("email", email)
        json.field("role", role)
        json.field("language", ifPresent: language?.rawValue)
    }
}
