import Vocabulary

/// What the simulated farm sells.
extension FakePeople {
    private struct Goods {
        let product: String
        let title: String
        let unit: String
        let category: String
        let description: String
        let lot: String
        let plot: String
        let boxes: Int
        let gramsEach: Int
        /// The price of one box, in cents.
        let price: Int
    }

    private static let goods = [
        Goods(
            product: "tomatoes", title: "Tomatoes ‘Matina’", unit: "a box of 5 kg", category: "fruit",
            description: "Early, red and sweet; for salads and on bread.", lot: "TOM-1A", plot: "p1", boxes: 24,
            gramsEach: 5000, price: 1490),
        Goods(
            product: "cucumbers", title: "Cucumbers", unit: "a box of 3 kg", category: "fruit",
            description: "From the foil house, picked before breakfast.", lot: "CUC-1", plot: "p2", boxes: 12,
            gramsEach: 3000, price: 690),
        Goods(
            product: "peppers", title: "Sweet peppers", unit: "a box of 2 kg", category: "fruit",
            description: "Red and yellow, thick-walled.", lot: "PEP-1", plot: "p3", boxes: 8, gramsEach: 2000,
            price: 850),
        Goods(
            product: "lettuce", title: "Lettuce", unit: "a box of six heads", category: "leaves",
            description: "Butterhead and oak leaf, mixed.", lot: "LET-1", plot: "p4", boxes: 6, gramsEach: 1500,
            price: 540),
    ]

    /// Harvests and packs the goods other than the tomatoes.
    func stockShelves() throws {
        for goods in Self.goods where goods.lot != "TOM-1A" {
            try post(
                "/v1/lots",
                #"{"lot":"\#(goods.lot)","product":"\#(goods.title)","plot":"\#(goods.plot)","grams":\#(goods.boxes * goods.gramsEach)}"#
            )
            try post(
                "/v1/lots/\(goods.lot)/packings", #"{"boxes":\#(goods.boxes),"gramsEach":\#(goods.gramsEach)}"#)
        }
    }

    private static let promotionDays = 60.0

    /// Publishes a page in the directory, two pickup places, an offer of each product, and a promotion.
    func openShop(at time: Instant) throws {
        try send(
            "PUT", "/v1/directory/sunny-cove",
            #"{"title":"Sunny Cove Farm","county":"Greene","region":"Tennessee","street":"200 Sunny Cove Road, Greeneville","telephone":"+1 423 555 0142","description":"Twelve plots of vegetables below the Bald Mountains, measured day and night: every box tells where it grew and how cold it was kept.","latitude":36.12,"longitude":-82.76,"hasGoods":true}"#
        )
        try send(
            "PUT", "/v1/pickups/farm-shop",
            #"{"title":"Farm shop","farm":"sunny-cove","address":"200 Sunny Cove Road, Greeneville","county":"Greene","hours":"Fridays 14 to 18"}"#
        )
        try send(
            "PUT", "/v1/pickups/market",
            #"{"title":"Greeneville market hall","farm":"sunny-cove","address":"101 West Summer Street, Greeneville","county":"Greene","hours":"Saturdays 8 to 12"}"#
        )
        try send(
            "PUT", "/v1/site",
            #"{"title":"Vegetables with a story","welcome":"A demonstration: one simulated farm, four things to buy, and every reading behind them.","donate":"https://example.org/donate","sponsors":[{"name":"Everybody who measures"}]}"#
        )
        for goods in Self.goods {
            try post(
                "/v1/products",
                #"{"product":"\#(goods.product)","farm":"sunny-cove","title":"\#(goods.title)","unit":"\#(goods.unit)","category":"\#(goods.category)","description":"\#(goods.description)"}"#
            )
            try send("PUT", "/v1/stock/\(goods.lot)", #"{"boxes":\#(goods.boxes)}"#)
            try post(
                "/v1/offers",
                #"{"offer":"\#(goods.product)","product":"\#(goods.product)","lot":"\#(goods.lot)","price":{"minor":\#(goods.price),"currency":"USD"}}"#
            )
        }
        guard let first = Self.goods.first else { return }
        let until = time.advanced(bySeconds: Self.promotionDays * 86_400)
        try send(
            "PUT", "/v1/promotions/ripe",
            #"{"title":"Ripe this week","text":"Picked at sunrise.","product":"\#(first.product)","from":"\#(time)","until":"\#(until)","timesPerDay":20}"#
        )
    }
}
