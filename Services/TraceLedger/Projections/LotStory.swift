import Crypto
import EventSourcing
import Events
import JSON
import Vocabulary

/// The contents of a lot's passport, computed from the tables alone. Pure.
struct LotStory {
    private let tables: any Tables
    private let lot: LotRow
    private let history: LotHistory
    private let now: Instant

    /// The most items of each list; the number of omitted ones is in `omitted`.
    private struct ListLimits {
        var points = LedgerLimits.chartPoints
        var items = 200
        /// Each has two digests, and the newest say most.
        var photographs = LedgerLimits.storyPhotographs
    }

    /// Returns nil if there is no such lot.
    init?(of lot: LotID, at now: Instant, from tables: any Tables) {
        guard let row = tables.get(LotRow.self, lot.rawValue) else { return nil }
        self.init(of: row, at: now, from: tables)
    }

    init(of lot: LotRow, at now: Instant, from tables: any Tables) {
        self.tables = tables
        self.lot = lot
        self.now = now
        history = LotHistory(of: lot, from: tables)
    }

    static func digest(of passport: JSONAny) -> String {
        var json = JSONWriter(reserving: 16_384)
        passport.write(to: &json)
        return Hex.encode(SHA256.hash(json.bytes))
    }

    /// Returns the passport's JSON as in the public API, as much of it as fits an event.
    func passport() throws(JSONError) -> JSONAny {
        var room = ListLimits()
        // All of them without a limit, because the omitted ones must be counted.
        let children = tables.find(LotRow.self, where: "parent", is: lot.key, limit: .max).map(\.key)
        var bytes = written(room, children)
        while bytes.count > LedgerLimits.passportBytes, room.items > 1 {
            if room.points > 125 { room.points /= 2 } else { room.items /= 2 }
            bytes = written(room, children)
        }
        return try JSONAny(json: JSONValue.parse(bytes))
    }

    private func written(_ room: ListLimits, _ children: [String]) -> [UInt8] {
        var json = JSONWriter(reserving: 16_384)
        var omitted: [(list: String, count: Int)] = []
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
            json.field("recalled", ifPresent: lot.state.recalled)
            json.field("held", ifPresent: lot.state.held)
            json.field("released", ifPresent: lot.state.safety == .released ? lot.state.holds.last?.released : nil)
            json.field("parent", ifPresent: lot.state.parent)
            /// Writes the newest items of a list, oldest first.
            func list<Item>(
                _ name: String, _ items: [Item], most: Int = .max, _ write: (Item, inout JSONWriter) -> Void
            ) {
                let most = min(most, room.items)
                if items.count > most { omitted.append((name, items.count - most)) }
                json.field(name, array: { json in for item in items.suffix(most) { write(item, &json) } })
            }
            list("children", children) { $1.element($0) }
            list("activities", activities, write)
            list("custody", history.steps, write)
            let measured = measured
            list("readings", measured) { write($0, room.points / min(max(measured.count, 1), room.items), to: &$1) }
            list("alarms", alarms, write)
            // Without this condition every story would change when the farm is updated.
            let photographs = photographs
            if !photographs.isEmpty { list("photographs", photographs, most: room.photographs, write) }
            guard !omitted.isEmpty else { return }
            json.field("omitted", object: { json in for (list, count) in omitted { json.field(list, count) } })
        }
        return json.bytes
    }

    private func writeFarm(_ json: inout JSONWriter) {
        let farm = tables.get(FarmRow.self, lot.farm.rawValue)
        json.field("title", farm?.title ?? lot.farm.rawValue)
        json.field("country", ifPresent: farm?.country)
        json.field("zone", farm?.zone ?? "UTC")
    }

    private func writePlot(_ json: inout JSONWriter) {
        let plot = lot.state.harvest.flatMap { tables.get(PlaceRow.self, Place.plot($0.plot).description) }
        json.field("title", plot?.title ?? "")
        json.field("areaSquareMetres", ifPresent: plot?.areaSquareMetres)
    }

    /// The activities on the plot for this harvest: from the last sowing to the harvest.
    ///
    /// Those that a correction moved into or out of that time are included, so that a correction hides nothing.
    private var activities: [ActivityRow] {
        guard let harvest = lot.state.harvest, let until = lot.state.harvestedAt, harvest.from <= until else {
            return []
        }
        let season = harvest.from...until
        return tables.all(ActivityRow.self, prefix: "\(harvest.plot)|")
            .filter { row in ([row.record] + row.corrections).contains { season.contains($0.happened) } }
            .sorted { ($0.valid.happened, $0.key) < ($1.valid.happened, $1.key) }
    }

    private func write(_ row: ActivityRow, to json: inout JSONWriter) {
        json.element(object: { json in
            write(row.record, to: &json)
            guard let right = row.corrections.last else { return }
            json.field("correctedTo", object: { json in write(right, to: &json) })
        })
    }

    private func write(_ record: ActivityRow.Record, to json: inout JSONWriter) {
        json.field("kind", record.kind)
        json.field("happened", record.happened)
        json.field("recorded", record.recorded)
        json.field("details", record.details)
        json.field("reason", ifPresent: record.reason)
    }

    private func write(_ step: CustodyRow, to json: inout JSONWriter) {
        json.element(object: { json in
            json.field("what", step.step.rawValue)
            json.field("at", step.at)
            json.field("place", ifPresent: step.place.map(title))
            json.field(step.step.hasReason ? "reason" : "to", ifPresent: step.partner)
            json.field("grams", ifPresent: step.grams)
            json.field("boxes", ifPresent: step.boxes)
        })
    }

    private func title(_ place: Place) -> String {
        tables.get(PlaceRow.self, place.description)?.title ?? place.description
    }

    /// The quantities that were measured at each stay.
    private var measured: [(stay: Stay, quantity: Quantity)] {
        history.stays.flatMap { stay in
            Quantity.story.filter { ClimateSeries.exists(stay, $0, until: measuredUntil(stay), in: tables) }.map {
                (stay, $0)
            }
        }
    }

    /// Returns the end of a stay's measurements. For a lot still there, only completed hours are included.
    ///
    /// Otherwise each report would change the stories of all lots there, and each scan would issue a passport. A lot
    /// that arrived in this hour has this hour only.
    private func measuredUntil(_ stay: Stay) -> Instant {
        stay.to ?? max(stay.from, Instant(hours: now.hours - 1))
    }

    private func write(_ line: (stay: Stay, quantity: Quantity), _ points: Int, to json: inout JSONWriter) {
        let until = measuredUntil(line.stay)
        guard let values = ClimateSeries(line.stay, line.quantity, until: until, room: points, from: tables) else {
            return
        }
        json.element(object: { json in
            json.field("place", title(line.stay.place))
            json.field("role", line.stay.role.rawValue)
            values.write(to: &json)
        })
    }

    /// The photographs of the lot's places, of the time when it was there, that the farm chose for stories.
    private var photographs: [(stay: Stay, photograph: PhotographRow)] {
        // A lot that returned to a store was there twice, and each photograph was taken once.
        var seen: Set<String> = []
        let all = history.stays.flatMap { stay in
            PhotographRow.shown(of: stay.place, from: stay.from, to: stay.to ?? now, in: tables)
                .filter { seen.insert($0.photograph).inserted }.map { (stay, $0) }
        }
        return all
    }

    private func write(_ line: (stay: Stay, photograph: PhotographRow), to json: inout JSONWriter) {
        json.element(object: { json in
            json.field("place", title(line.stay.place))
            json.field("taken", line.photograph.taken)
            json.field("preview", line.photograph.preview)
            json.field("thumbnail", line.photograph.thumbnail)
            json.field("width", line.photograph.width)
            json.field("height", line.photograph.height)
        })
    }

    private var alarms: [(stay: Stay, alarm: LedgerAlarmRow)] {
        var alarms: [(stay: Stay, alarm: LedgerAlarmRow)] = []
        // A lot that was stored again where it was, or that returned, was there in one alarm, not in two.
        var seen: Set<String> = []
        for stay in history.stays where stay.role == .store {
            let rows = LedgerAlarmRow.overlapping(stay.place, from: stay.from, to: stay.to ?? now, in: tables)
                .filter { $0.concerns(lot) && seen.insert($0.key).inserted }
            alarms += rows.sorted { ($0.raised, $0.key) < ($1.raised, $1.key) }.map { (stay, $0) }
        }
        return alarms
    }

    private func write(_ alarm: (stay: Stay, alarm: LedgerAlarmRow), to json: inout JSONWriter) {
        json.element(object: { json in
            json.field("place", title(alarm.stay.place))
            json.field("quantity", alarm.alarm.quantity)
            json.field("value", alarm.alarm.value)
            json.field("limit", alarm.alarm.limit)
            json.field("overMinutes", ifPresent: alarm.alarm.overMinutes)
            json.field("raised", alarm.alarm.raised)
            json.field("cleared", ifPresent: alarm.alarm.cleared)
        })
    }
}

extension Quantity {
    /// The quantities in a story.
    static let story: [Quantity] = [.temperature, .humidity, .illuminance, .soilMoisture]
}
