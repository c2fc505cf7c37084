import EventSourcing
import Events
import Host
import JSON
import Vocabulary
import Wire

/// What a person has looked at, which the person's device reports only if the person has agreed to it.
struct ViewCommands {
    let context: SuggestionContext

    init(_ context: SuggestionContext) { self.context = context }

    /// Notes the products that the caller has looked at. Those that the shop does not have are ignored.
    func view(_ request: Request, _ command: View) throws(Problem) -> Effect {
        let person = try caller(of: request)
        let products = command.products.filter { context.memory.shop.products[$0]?.isListed ?? false }
        let response = Response.made(201) { json in json.field("noted", products.count) }
        guard !products.isEmpty else { return .settle(request, [], response) }
        let event = ProductsViewed(person: person, products: products)
        return .settle(request, [Draft(event, in: "views/\(person)", by: request.actor)], response)
    }

    /// Deletes what the caller has looked at.
    func forget(_ request: Request) throws(Problem) -> Effect {
        let person = try caller(of: request)
        let response = Response.made { json in json.field("person", person) }
        guard context.tables.get(ViewedRow.self, person.rawValue) != nil else {
            return .settle(request, [], response)
        }
        let event = ViewsForgotten(person: person)
        return .settle(request, [Draft(event, in: "views/\(person)", by: request.actor)], response)
    }

    private func caller(of request: Request) throws(Problem) -> PersonID {
        guard let person = request.actor.person else {
            throw Problem(403, "not-a-person", "Only a person looks at products.")
        }
        return person
    }
}
