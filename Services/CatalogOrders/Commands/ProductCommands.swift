import EventSourcing
import Events
import JSON
import Vocabulary
import Wire

/// Commands for the products of a farm.
extension MarketCommands {
    func listProduct(_ body: RequestBody) throws(Problem) -> Outcome {
        let product = ProductID(try body.name("product"))
        guard tables.get(ProductRow.self, product.rawValue) == nil else {
            throw Problem(409, "known", "There is a product \(product) already.")
        }
        let farm = try farm(body)
        let event = ProductListed(product: product, details: try details(body))
        return made(event, "product/\(product)", farm: farm) { $0.field("product", product) }
    }

    func changeProduct(_ body: RequestBody) throws(Problem) -> Outcome {
        let (product, row) = try product(body)
        let event = ProductChanged(product: product, details: try details(body))
        return made(event, "product/\(product)", farm: row.farm, status: 200) { $0.field("product", product) }
    }

    func withdrawProduct(_ body: RequestBody) throws(Problem) -> Outcome {
        let (product, row) = try product(body)
        let event = ProductWithdrawn(product: product, reason: try optionalReason(body))
        return made(event, "product/\(product)", farm: row.farm) { $0.field("product", product) }
    }

    private func details(_ body: RequestBody) throws(Problem) -> ProductDetails {
        ProductDetails(
            title: try body.text("title"), unit: try body.text("unit", limit: 60),
            category: try body.optionalText("category", limit: 40)?.lowercased(),
            description: try body.optionalText("description", limit: MarketLimits.descriptionBytes),
            gtin: try body.find("gtin"), picture: try body.optionalDigest("picture"),
            thumbnail: try body.optionalDigest("thumbnail"),
            alt: try body.optionalText("alt", limit: MarketLimits.altBytes), contents: try contents(body))
    }

    private func contents(_ body: RequestBody) throws(Problem) -> ProductContents? {
        guard let contents: ProductContents = try body.find("contents") else { return nil }
        return ProductContents(
            allergens: Allergen.allCases.filter(contents.allergens.contains), diet: contents.diet)
    }

    /// Returns the product named in the body. Throws if it is unknown or withdrawn.
    func product(_ body: RequestBody) throws(Problem) -> (ProductID, ProductRow) {
        let product = ProductID(try body.name("product"))
        guard let row = tables.get(ProductRow.self, product.rawValue) else {
            throw Problem(404, "unknown-product", "There is no product \(product).")
        }
        guard !row.isWithdrawn else {
            throw Problem(409, "withdrawn", "\(row.details.title) is not sold any more.")
        }
        return (product, row)
    }
}
