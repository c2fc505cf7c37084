import EventSourcing
import Events
import JSON
import Vocabulary
import Wire

/// The labels of a lot's boxes.
struct Labels {
    private let lot: LotRow
    private let farm: String
    /// The day of the harvest in the farm's zone.
    private let day: String?
    private let items: [(box: BoxRow, url: String)]

    /// - Parameter count: The number of boxes to label, the first ones.
    init(of lot: LotRow, boxes count: Int, _ printer: LabelPrinter, _ zones: Zones, _ tables: any Tables)
        throws(Problem)
    {
        guard let harvest = lot.state.harvest else { throw Problem(404, "unknown-lot", "There is no such lot.") }
        self.lot = lot
        farm = tables.get(FarmRow.self, lot.farm.rawValue)?.title ?? lot.farm.rawValue
        day = lot.state.harvestedAt.map { zones.day(of: $0, at: lot.farm, tables) }
        let boxes = tables.scan(BoxRow.self, prefix: "\(lot.key)|", limit: LedgerLimits.boxes * 5)
        var items: [(box: BoxRow, url: String)] = []
        for box in boxes.sorted(by: { $0.number < $1.number }).prefix(count) {
            items.append((box, try printer.link(gtin: harvest.gtin, lot: harvest.lot, serial: box.serial)))
        }
        self.items = items
    }

    func write(_ json: inout JSONWriter) {
        json.field("lot", lot.key)
        json.field("product", lot.state.harvest?.product ?? "")
        json.field("farm", farm)
        json.field("harvested", ifPresent: lot.state.harvestedAt)
        json.field("harvestDay", ifPresent: day)
        json.field(
            "labels",
            array: { json in
                for (box, url) in items {
                    json.object { json in
                        json.field("serial", box.serial)
                        json.field("index", box.number)
                        json.field("of", items.count)
                        json.field("grams", box.grams)
                        json.field("url", url)
                    }
                }
            })
    }
}
