// What buyers say of themselves outside the log, and what they looked at.
extension CommandFamily {
    static let contact = CommandFamily(
        "ContactCommandName", of: "catalog-orders",
        "The name of the command of catalog-orders that is not in its journal, because personal data never is.",
        [
            CommandType(
                "keep-contact",
                "Sets how the buyer can be reached; stored outside the log, and deleted with the account."
            ) {
                Member("name", .line.optional, "The buyer's name.")
                Member("address", .lines(2000).optional, "The postal address.")
                Member("telephone", .line(40).optional, "The telephone number.")
            }
        ])

    static let recommender = CommandFamily(
        "RecommenderCommandName", of: "recommender",
        "The names of the recommender's commands: what buyers let it know.",
        [
            CommandType(
                "view",
                "Notes products that the signed-in person has looked at, the latest last. Only devices whose owner has "
                    + "agreed send them. The newest fifty are stored and suggested again to that person alone."
            ) {
                Member("products", .list(.name("ProductID"), 0...20), "The products, the latest last.")
            },
            CommandType("forget-views", "Deletes what the signed-in person has looked at."),
        ])
}
