import Crypto
import EventSourcing
import Events
import JSON
import Vocabulary

/// The story of a lot as its passport tells it, written from the tables alone. Pure.
struct Story {
    private let tables: any Tables
    private let lot: LotRow
    private let now: Instant

    /// Nil if there is no such lot.
    init?(of lot: LotID, at now: Instant, from tables: any Tables) {
        guard let row = tables.get(LotRow.self, lot.rawValue) else { return nil }
        self.tables = tables
        self.lot = row
        self.now = now
    }

    static func digest(of passport: JSONAny) -> String {
        var json = JSONWriter(reserving: 16_384)
        passport.write(to: &json)
        return Hex.encode(SHA256.hash(json.bytes))
    }

    /// The passport's JSON, as in the public API.
    func passport() throws(JSONError) -> JSONAny {
        var json = JSONWriter(reserving: 16_384)
        json.object { json in
            json.field("v", 1)
            json.field("lot", lot.key)
            json.field("gtin", lot.state.harvest?.gtin.digits ?? "")
            json.field("product", lot.state.harvest?.product ?? "")
            json.field("farm", object: writeFarm)
            json.field("plot", object: writePlot)
            json.field("harvested", ifPresent: lot.state.harvestedAt)
            json.field("grams", lot.state.grams)
            json.field("boxes", lot.state.boxes)
            json.field("parent", ifPresent: lot.state.parent)
            json.field("children", array: writeChildren)
            json.field("activities", array: writeActivities)
            json.field("custody", array: writeCustody)
            json.field("readings", array: writeReadings)
            json.field("alarms", array: writeAlarms)
        }
        return try JSONAny(json: JSONValue.parse(json.bytes))
    }

    private func writeFarm(_ json: inout JSONWriter) {
        let farm = tables.get(FarmRow.self, lot.farm.rawValue)
        json.field("title", farm?.title ?? lot.farm.rawValue)
        json.field("country", ifPresent: farm?.country)
        json.field("zone", farm?.zone ?? "UTC")
    }

    private func writePlot(_ json: inout JSONWriter) {
        let plot = self.plot.flatMap { tables.get(PlaceRow.self, $0.description) }
        json.field("title", plot?.title ?? "")
        json.field("areaSquareMetres", ifPresent: plot?.areaSquareMetres)
    }

    private var plot: Place? { lot.state.harvest.map { .plot($0.plot) } }

    private func writeChildren(_ json: inout JSONWriter) {
        for child in tables.find(LotRow.self, where: "parent", is: lot.key, limit: Bounds.pageItems) {
            json.element(child.key)
        }
    }

    /// What was done on the plot for this harvest: since it was last sown, until it was harvested.
    private func writeActivities(_ json: inout JSONWriter) {
        guard let harvest = lot.state.harvest, let until = lot.state.harvestedAt else { return }
        let rows = tables.scan(ActivityRow.self, prefix: "\(harvest.plot)|", limit: Bounds.activities)
        let relevant = rows.filter { $0.valid.happened >= harvest.from && $0.valid.happened <= until }
        for row in relevant.sorted(by: { ($0.valid.happened, $0.key) < ($1.valid.happened, $1.key) }) {
            json.object { json in
                write(row.record, to: &json)
                guard let right = row.corrections.last else { return }
                json.field("correctedTo", object: { json in write(right, to: &json) })
            }
        }
    }

    private func write(_ record: ActivityRow.Record, to json: inout JSONWriter) {
        json.field("kind", record.kind)
        json.field("happened", record.happened)
        json.field("recorded", record.recorded)
        json.field("details", record.details)
        json.field("reason", ifPresent: record.reason)
    }

    /// This lot and those it was split from, oldest first, each until the next was split off.
    private var lineage: [(lot: LotRow, until: Instant)] {
        var line: [(lot: LotRow, until: Instant)] = [(lot, now)]
        var parent = lot.state.parent
        while let id = parent, line.count < Bounds.ancestors, let row = tables.get(LotRow.self, id.rawValue) {
            let split = tables.scan(CustodyRow.self, prefix: "\(line[0].lot.key)|", limit: 1).first
            line.insert((row, split?.at ?? now), at: 0)
            parent = row.state.parent
        }
        return line
    }

    private var custody: [CustodyRow] {
        lineage.flatMap { lot, until in
            tables.scan(CustodyRow.self, prefix: "\(lot.key)|", limit: Bounds.custodySteps).filter { $0.at <= until }
        }
    }

    private func writeCustody(_ json: inout JSONWriter) {
        for step in custody {
            json.object { json in
                json.field("what", step.step.rawValue)
                json.field("at", step.at)
                json.field("place", ifPresent: step.place.map(title))
                json.field("to", ifPresent: step.partner)
                json.field("grams", ifPresent: step.grams)
                json.field("boxes", ifPresent: step.boxes)
            }
        }
    }

    /// Where the lot was, and while which time: the plot while it grew, then each store.
    private var stays: [Stay] {
        guard let harvest = lot.state.harvest, let harvested = lot.state.harvestedAt else { return [] }
        var stays = [Stay(place: .plot(harvest.plot), role: "field", from: harvest.from, to: harvested)]
        for step in custody {
            if let last = stays.indices.last, stays[last].role == "store",
                step.step == .stored || step.step == .handedOver
            {
                stays[last].to = min(stays[last].to, step.at)
            }
            if step.step == .stored, let place = step.place {
                stays.append(Stay(place: place, role: "store", from: step.at, to: now))
            }
        }
        return stays
    }

    private func title(_ place: Place) -> String {
        tables.get(PlaceRow.self, place.description)?.title ?? place.description
    }

    private func writeReadings(_ json: inout JSONWriter) {
        let lines = stays.flatMap { stay in Quantity.story.map { Line(stay, $0, from: tables) } }
            .filter { !$0.hours.isEmpty }
        let room = Bounds.chartPoints / max(lines.count, 1)
        for line in lines {
            json.object { json in
                json.field("place", title(line.stay.place))
                json.field("role", line.stay.role)
                line.write(to: &json, points: room)
            }
        }
    }

    private func writeAlarms(_ json: inout JSONWriter) {
        for stay in stays where stay.role == "store" {
            let rows = tables.scan(AlarmRow.self, prefix: "\(stay.place)|", limit: Bounds.pageItems)
            for row in rows.filter({ $0.overlaps(stay.from, stay.to) }).sorted(by: { $0.raised < $1.raised }) {
                json.object { json in
                    json.field("place", title(stay.place))
                    json.field("quantity", row.quantity)
                    json.field("value", row.value)
                    json.field("limit", row.limit)
                    json.field("raised", row.raised)
                    json.field("cleared", ifPresent: row.cleared)
                }
            }
        }
    }

    /// Whether an alarm was on where the lot lay while it lay there.
    var hasAlarm: Bool {
        stays.contains { stay in
            stay.role == "store"
                && tables.scan(AlarmRow.self, prefix: "\(stay.place)|", limit: Bounds.pageItems)
                    .contains { $0.overlaps(stay.from, stay.to) }
        }
    }
}

extension Quantity {
    /// What a story shows.
    static let story: [Quantity] = [.temperature, .humidity, .illuminance, .soilMoisture]
}
