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
        /// Of one box, in cents.
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

    /// Harvests and packs what is sold beside the tomatoes.
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

    /// A page in the directory, two places to pick things up, and an offer of each product.
    func openShop() throws {
        try send(
            "PUT", "/v1/directory/sonnhof",
            #"{"title":"Sonnhof","county":"Tulln","region":"Lower Austria","street":"Sonnweg 3, Sieghartskirchen","telephone":"+43 2274 5550","description":"Sixteen plots of vegetables above the Tullnerfeld, measured day and night: every box tells where it grew and how cold it was kept.","latitude":48.2546,"longitude":16.0122,"hasGoods":true}"#
        )
        try send(
            "PUT", "/v1/pickups/farm-shop",
            #"{"title":"Farm shop","farm":"sonnhof","address":"Sonnweg 3, Sieghartskirchen","county":"Tulln","hours":"Fridays 14 to 18"}"#
        )
        try send(
            "PUT", "/v1/pickups/market",
            #"{"title":"Market in Tulln","farm":"sonnhof","address":"Hauptplatz, Tulln","county":"Tulln","hours":"Saturdays 8 to 12"}"#
        )
        try send(
            "PUT", "/v1/site",
            #"{"title":"Vegetables with a story","welcome":"A demonstration: one simulated farm, four things to buy, and every reading behind them.","sponsors":[{"name":"Everybody who measures"}]}"#
        )
        for goods in Self.goods {
            try post(
                "/v1/products",
                #"{"product":"\#(goods.product)","farm":"sonnhof","title":"\#(goods.title)","unit":"\#(goods.unit)","category":"\#(goods.category)","description":"\#(goods.description)"}"#
            )
            try send("PUT", "/v1/stock/\(goods.lot)", #"{"boxes":\#(goods.boxes)}"#)
            try post(
                "/v1/offers",
                #"{"offer":"\#(goods.product)","product":"\#(goods.product)","lot":"\#(goods.lot)","price":{"minor":\#(goods.price),"currency":"EUR"}}"#
            )
        }
    }
}
