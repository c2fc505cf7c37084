import Events
import JSON
import Vocabulary
import Wire

/// The list of kinds of goods: those that were set, then those that handbooks recommend and that were not.
struct GoodsQuery {
    let kinds: [GoodsLimitsSet]

    func write(to json: inout JSONWriter) {
        json.field(
            "items",
            array: { json in
                for kind in kinds { json.object(kind.write(fields:)) }
            })
        let known = Set(kinds.map(\.goods))
        json.field(
            "recommended",
            array: { json in
                for kind in KnownGoods.all where !known.contains(kind.goods) {
                    json.object { json in
                        json.field("goods", kind.goods)
                        json.field("title", kind.title)
                        json.field("limits", kind.limits)
                        json.field("source", kind.source)
                        write(kind.temperature, "temperature", &json)
                        write(kind.humidity, "humidity", &json)
                    }
                }
            })
    }

    private func write(_ range: ClosedRange<Double>, _ name: String, _ json: inout JSONWriter) {
        json.field(
            name,
            object: { json in
                json.field("from", range.lowerBound)
                json.field("to", range.upperBound)
            })
    }
}
