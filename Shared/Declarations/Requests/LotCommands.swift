// Lots, from harvest to hand-over, and the limits for storing goods.
extension CommandType {
    static let lots = [
        CommandType(
            "harvest",
            "Records a harvest, which creates a lot. A `person` other than the caller is refused (401)."
        ) {
            Member("lot", .lot.optional, "The number of the lot; by default a new one with the day.")
            Member("gtin", .gtin.optional, "The item number; by default the one that the farm uses for the product.")
            Member("product", .line, "What was harvested.")
            Member("plot", .name("PlotID"), "The plot.")
            Member.grams
            Member.happened
            Member.person
        },
        CommandType("correct-harvest", "Corrects the mass of a harvested lot; the original record stays.") {
            Member.lot
            Member.grams
            Member("reason", .line, "Why it is corrected.")
        },
        CommandType("split-lot", "Splits off a part as a separate lot.") {
            Member.lot
            Member("into", .lot.optional, "The number of the new lot; by default a new one with the day.")
            Member("grams", .grams, "The mass of what is split off.")
        },
        CommandType("pack-lot", "Packs a lot in boxes.") {
            Member.lot
            Member("boxes", .whole(1...1000), "How many boxes.")
            Member("gramsEach", .grams, "The mass of the goods in each.")
        },
        CommandType("store-lot", "Records that a lot was put into a store.") {
            Member.lot
            Member("store", .name("StoreID"), "The store.")
            Member.happened
        },
        CommandType("hand-over-lot", "Records that a lot left the farm.") {
            Member.lot
            Member("to", .line, "Who received it.")
            Member("document", .line.optional, "The number of the delivery note.")
            Member.happened
        },
        CommandType("print-labels", "Signs the labels of a lot's boxes.") { Member.lot },
        CommandType("recall-lot", "Recalls a lot and all lots split off it: they can no longer be sold.") {
            Member.lot
            Member("reason", .lines(500), "Why it must not be eaten, for buyers.")
        },
        CommandType(
            "release-lot", "Releases a lot on hold and all lots split off it; the event names the person."
        ) {
            Member.lot
            Member("reason", .lines(500), "Why it may be sold after all.")
        },
        CommandType("refresh-passport", "Issues a new passport of a lot if its story has changed.") {
            Member.lot
            Member("stranger", .flag, "Whether the caller has no account: then the lot must be public, or labelled.")
            Member("label", .line.optional, "The label from which a stranger knows the lot.")
        },
    ]

    static let goods = [
        CommandType(
            "set-goods",
            "Sets the limits for storing a kind of goods; they apply to each store that contains such goods."
        ) {
            Member("goods", .name("String"), "The name of the kind, which stays; 20 characters at most.")
            Member("title", .line(80), "What people call it.")
            Member("products", .list(.line, 0...50), "The products that are of this kind; each is of one kind.")
            Member("limits", .list(.record(.goodsLimit), 0...2), "The limits of temperature and humidity.")
            Member("source", .lines(300).optional, "Where the limits are from.")
            Member("stage", .oneOf(.lotStage).optional, "The stage of lots for which they are; by default every one.")
        }
    ]
}

extension MemberType {
    fileprivate static let grams = whole(1...1_000_000_000)
}

extension Member {
    fileprivate static let lot = Member("lot", .name("LotID"), "The lot.")
    fileprivate static let grams = Member("grams", .grams, "The mass of the whole lot.")
}

extension BodyRecord {
    fileprivate static let goodsLimit = BodyRecord(
        "GoodsLimit", isOfEvents: true, isCheckedByRules: true, "The limits of one quantity."
    ) {
        Member("quantity", .quantity(among: ["temperature", "humidity"]), "The quantity.")
        Member("above", .number(-1e9...1e9).optional, "The upper limit, in the quantity's unit.")
        Member("below", .number(-1e9...1e9).optional, "The lower limit, in the quantity's unit.")
    }
}
