import Wire

extension MarketQueryName {
    /// Whether the query reads only the tables, so that a separate query thread can run it. The vault belongs to the
    /// thread that decides.
    var readsTablesAlone: Bool { ![.soldOrder, .soldOrders, .export].contains(self) }

    /// Whether the response is the same for every caller and changes only with the tables or when an offer ends.
    var isShared: Bool {
        [.directory, .directoryFarm, .counties, .products, .product, .offers, .pickups].contains(self)
    }
}
