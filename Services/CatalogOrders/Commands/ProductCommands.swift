import EventSourcing
import Events
import JSON
import Vocabulary
import Wire

/// Commands for the products of a farm.
extension MarketCommands {
    func listProduct(_ command: ListProduct) throws(Problem) -> Outcome {
        let product = command.product
        guard tables.get(ProductRow.self, product.rawValue) == nil else {
            throw Problem(409, "known", "There is a product \(product) already.")
        }
        try check(command.farm)
        let details = ProductDetails(
            title: command.title, unit: command.unit, category: command.category?.lowercased(),
            description: command.description, gtin: command.gtin, picture: command.picture,
            thumbnail: command.thumbnail, alt: command.alt, contents: command.contents?.inOrder)
        let event = ProductListed(product: product, details: details)
        return made(event, "product/\(product)", farm: command.farm) { $0.field("product", product) }
    }

    func changeProduct(_ command: ChangeProduct) throws(Problem) -> Outcome {
        let product = command.product
        let row = try self.product(product)
        let details = ProductDetails(
            title: command.title, unit: command.unit, category: command.category?.lowercased(),
            description: command.description, gtin: command.gtin, picture: command.picture,
            thumbnail: command.thumbnail, alt: command.alt, contents: command.contents?.inOrder)
        let event = ProductChanged(product: product, details: details)
        return made(event, "product/\(product)", farm: row.farm, status: 200) { $0.field("product", product) }
    }

    func withdrawProduct(_ command: WithdrawProduct) throws(Problem) -> Outcome {
        let product = command.product
        let row = try self.product(product)
        let event = ProductWithdrawn(product: product, reason: command.reason)
        return made(event, "product/\(product)", farm: row.farm) { $0.field("product", product) }
    }

    /// Returns the product. Throws if it is unknown or withdrawn.
    func product(_ product: ProductID) throws(Problem) -> ProductRow {
        guard let row = tables.get(ProductRow.self, product.rawValue) else {
            throw Problem(404, "unknown-product", "There is no product \(product).")
        }
        guard !row.isWithdrawn else {
            throw Problem(409, "withdrawn", "\(row.details.title) is not sold any more.")
        }
        return row
    }
}

extension ProductContents {
    /// The contents with each allergen once, in the order of the list of allergens.
    fileprivate var inOrder: ProductContents {
        ProductContents(allergens: Allergen.allCases.filter(allergens.contains), diet: diet)
    }
}
