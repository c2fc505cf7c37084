import EventSourcing
import Events
import JSON
import Vocabulary
import Wire

/// Commands for a person's favourite farms and products.
extension MarketCommands {
    func setFavourite(_ command: SetFavourite) throws(Problem) -> Outcome {
        let person = try buyer()
        let favourite = try favourite(command.kind, command.name)
        // Farms are created in the ledger, so an unknown farm may still arrive. Products are listed here.
        let (isThere, finality): (Bool, Problem.Finality) =
            switch favourite {
            case .farm(let farm):
                (tables.get(MarketFarmRow.self, farm.rawValue) != nil, .unresolved(reference: "farm/\(farm)"))
            case .product(let product): (tables.get(ProductRow.self, product.rawValue) != nil, .final)
            }
        guard isThere else { throw Problem(404, "unknown-favourite", "There is no \(favourite).", finality) }
        let answer = Response.made { $0.field("favourite", favourite) }
        guard tables.get(FavouriteRow.self, FavouriteRow.key(person, favourite)) == nil else { return ([], answer) }
        let kept = tables.scan(FavouriteRow.self, prefix: "\(person)|", limit: MarketLimits.favourites)
        guard kept.count < MarketLimits.favourites else {
            throw Problem(
                409, "too-many-favourites", "You have \(MarketLimits.favourites) favourites; take one away first.")
        }
        let event = FavouriteSet(person: person, favourite: favourite)
        return ([draft(event, "person/\(person)", farm: nil)], answer)
    }

    func unsetFavourite(_ command: UnsetFavourite) throws(Problem) -> Outcome {
        let person = try buyer()
        let favourite = try favourite(command.kind, command.name)
        let answer = Response.made { $0.field("favourite", favourite) }
        guard tables.get(FavouriteRow.self, FavouriteRow.key(person, favourite)) != nil else { return ([], answer) }
        let event = FavouriteUnset(person: person, favourite: favourite)
        return ([draft(event, "person/\(person)", farm: nil)], answer)
    }

    private func favourite(_ kind: String, _ name: String) throws(Problem) -> Favourite {
        guard let favourite = Favourite("\(kind)/\(name)") else {
            throw Problem(400, "malformed", "kind: farm or product.")
        }
        return favourite
    }
}
