import Events
import Vocabulary

/// Kinds of goods for which handbooks recommend storage conditions. A farm starts from them and sets limits of its own.
enum KnownGoods {
    /// A recommendation.
    struct Recommendation {
        let goods: String
        let title: String
        /// The recommended temperature in °C.
        let temperature: ClosedRange<Double>
        /// The recommended relative humidity in percent.
        let humidity: ClosedRange<Double>
        let source: String

        /// The limits that are proposed: how far values may leave the recommendation before an alarm is raised.
        ///
        /// The lower temperature has the least tolerance, because frost and chilling do the fastest harm. Only goods
        /// that are stored dry have an upper limit of humidity.
        var limits: [GoodsLimit] {
            [
                GoodsLimit(
                    quantity: .temperature, above: temperature.upperBound + 2, below: temperature.lowerBound - 0.5),
                GoodsLimit(
                    quantity: .humidity, above: humidity.upperBound <= 75 ? humidity.upperBound + 5 : nil,
                    below: humidity.lowerBound - 5),
            ]
        }
    }

    private static let vegetables =
        "USDA Agriculture Handbook 66, as in the New England Vegetable Management Guide, Table 16"
    private static let older = "USDA Agriculture Handbook 66 (1954)"
    private static let fruit = "USDA Agriculture Handbook 66, table of fresh fruits"

    /// All recommendations, by title. Temperatures of the sources are in °F; here they are rounded to 0.5 °C.
    static let all: [Recommendation] = [
        .init("apples", "Apples", -1...4.5, 90...90, fruit),
        .init("apricots", "Apricots", -0.5...0, 90...90, fruit),
        .init("asparagus", "Asparagus", 0...2, 95...95, vegetables),
        .init("basil", "Basil", 8...10, 90...95, vegetables),
        .init("snap-beans", "Beans, snap", 4.5...7, 90...95, vegetables),
        .init("beets", "Beets, topped", 0...0, 90...95, older),
        .init("blackberries", "Blackberries", -0.5...0, 90...95, fruit),
        .init("blueberries", "Blueberries", -0.5...0, 90...95, fruit),
        .init("broccoli", "Broccoli", 0...0, 90...95, vegetables),
        .init("brussels-sprouts", "Brussels sprouts", 0...0, 90...95, vegetables),
        .init("cabbage", "Cabbage", 0...0, 90...95, vegetables),
        .init("carrots", "Carrots, topped", 0...0, 90...95, vegetables),
        .init("cauliflower", "Cauliflower", 0...0, 90...95, vegetables),
        .init("celery", "Celery", 0...0, 90...95, vegetables),
        .init("sweet-cherries", "Cherries, sweet", -1 ... -0.5, 90...95, fruit),
        .init("kale", "Collards and kale", 0...0, 90...95, vegetables),
        .init("cucumbers", "Cucumbers", 10...10, 90...95, vegetables),
        .init("eggplant", "Eggplant", 10...10, 90...95, vegetables),
        .init("grapes", "Grapes", -1 ... -0.5, 90...95, fruit),
        .init("leeks", "Leeks", 0...0, 90...95, vegetables),
        .init("lettuce", "Lettuce", 0...2, 95...95, vegetables),
        .init("dry-onions", "Onions, dry", 0...0, 65...70, vegetables),
        .init("parsnips", "Parsnips", 0...0, 90...95, vegetables),
        .init("peaches", "Peaches", -0.5...0, 90...90, fruit),
        .init("pears", "Pears", -1.5 ... -0.5, 90...95, fruit),
        .init("sweet-peppers", "Peppers, sweet", 7...10, 90...95, vegetables),
        .init("early-potatoes", "Potatoes, early", 4.5...4.5, 90...90, vegetables),
        .init("late-potatoes", "Potatoes, late", 3.5...4.5, 85...90, older),
        .init("pumpkins", "Pumpkins", 10...13, 70...75, older),
        .init("raspberries", "Raspberries", -0.5...0, 90...95, fruit),
        .init("spinach", "Spinach", 0...0, 90...95, older),
        .init("summer-squash", "Squash, summer", 7...10, 85...95, older),
        .init("winter-squash", "Squash, winter", 10...13, 70...75, older),
        .init("strawberries", "Strawberries", 0...0, 90...95, fruit),
        .init("green-tomatoes", "Tomatoes, mature green", 13...15.5, 85...90, older),
        .init("ripe-tomatoes", "Tomatoes, ripe", 7...13, 85...90, older),
        .init("turnips", "Turnips, topped", 0...0, 90...95, older),
        .init("watermelons", "Watermelons", 10...13, 85...90, older),
    ]
}

extension KnownGoods.Recommendation {
    fileprivate init(
        _ goods: String, _ title: String, _ temperature: ClosedRange<Double>, _ humidity: ClosedRange<Double>,
        _ source: String
    ) {
        self.init(goods: goods, title: title, temperature: temperature, humidity: humidity, source: source)
    }
}
