import EventSourcing
import Events
import JSON
import Vocabulary
import Wire

/// The queries of farms, their places and what is stored there.
struct LandQueries {
    let tables: any Tables

    func answer(_ query: LandQueryName, _ body: RequestBody) throws(Problem) -> Response {
        switch query {
        case .farms: .made(farms(try FarmsQuery(body)))
        case .plots: .made(plots(try PlotsQuery(body)))
        case .stores: .made(stores(try StoresQuery(body)))
        case .activities: .made(activities(try ActivitiesQuery(body)))
        case .photographs: .made(photographs(try PhotographsQuery(body)))
        case .goods: .made(goods())
        }
    }

    private func farms(_ query: FarmsQuery) -> ResponsePage<LandFarm> {
        let rows = tables.scan(FarmRow.self, prefix: "", after: query.after, limit: LedgerLimits.pageItems)
        return ResponsePage(rows) { row in
            LandFarm(farm: FarmID(row.key), title: row.title, zone: row.zone, country: row.country)
        }
    }

    // MARK: Plots and stores

    private func plots(_ query: PlotsQuery) -> ResponsePage<PlotResponse> {
        places("plot/", after: query.after) { PlotResponse(plot: PlotID($0), place: $1) }
    }

    private func stores(_ query: StoresQuery) -> ResponsePage<StoreResponse> {
        places("store/", after: query.after) { StoreResponse(store: StoreID($0), place: $1) }
    }

    private func places<Item: JSONWritable>(
        _ prefix: String, after: String?, _ item: (_ name: String, PlaceResponse) -> Item
    ) -> ResponsePage<Item> {
        func name(_ row: PlaceRow) -> String { String(row.key.dropFirst(prefix.utf8.count)) }
        let waiting = BlockedPlaces(tables)
        let rows = tables.scan(
            PlaceRow.self, prefix: prefix, after: after.map { prefix + $0 }, limit: LedgerLimits.pageItems)
        return ResponsePage(
            rows.map { row in
                item(
                    name(row),
                    PlaceResponse(
                        farm: row.farm, title: row.title, crop: row.crop, areaSquareMetres: row.areaSquareMetres,
                        cold: row.cold, waiting: Place(row.key).map(waiting.holds) == true ? true : nil,
                        latest: .object(latest(at: row.key))))
            }, next: rows.count == LedgerLimits.pageItems ? rows.last.map(name) : nil)
    }

    /// Returns the newest reading of each quantity of a place.
    private func latest(at place: String) -> [(String, JSONAny)] {
        tables.scan(LatestRow.self, prefix: "\(place)|", limit: Quantity.allCases.count).compactMap { row in
            guard let quantity = Quantity(rawValue: String(row.key.dropFirst(place.utf8.count + 1))) else { return nil }
            return (
                quantity.rawValue,
                .object([
                    ("value", .double(row.value)), ("unit", .string(quantity.unit)), ("at", .string("\(row.at)")),
                ])
            )
        }
    }

    private func activities(_ query: ActivitiesQuery) -> ResponsePage<ActivityResponse> {
        let rows = tables.all(ActivityRow.self, prefix: "\(query.plot)|")
            .sorted { ($0.valid.happened, $0.key) > ($1.valid.happened, $1.key) }
        let first = rows.firstIndex { $0.activity.rawValue == query.after }.map { $0 + 1 } ?? 0
        let page = rows[first...].prefix(LedgerLimits.pageItems)
        return ResponsePage(
            page.map { row in
                ActivityResponse(
                    activity: row.activity, kind: row.record.kind, happened: row.record.happened,
                    recorded: row.record.recorded, details: row.record.details,
                    corrections: row.corrections.map { one in
                        ActivityCorrection(
                            kind: one.kind, happened: one.happened, recorded: one.recorded, details: one.details,
                            reason: one.reason)
                    })
            }, next: page.endIndex < rows.count ? page.last?.activity.rawValue : nil)
    }

    private func photographs(_ query: PhotographsQuery) -> ResponsePage<PhotographResponse> {
        let rows = tables.scan(
            PhotographRow.self, prefix: "\(query.place)|", after: query.after, limit: LedgerLimits.photographs)
        return ResponsePage(rows, most: LedgerLimits.photographs) { row in
            PhotographResponse(
                photograph: row.photograph, taken: row.taken, picture: row.picture, preview: row.preview,
                thumbnail: row.thumbnail, width: row.width, height: row.height, camera: row.camera,
                isShown: row.isShown)
        }
    }

    // MARK: Goods

    /// Returns the kinds that were set, then those that handbooks recommend and that were not.
    private func goods() -> GoodsResponse {
        let settings = tables.all(GoodsRow.self, prefix: "").map(\.setting)
        let known = Set(settings.map(\.goods))
        return GoodsResponse(
            items: settings.map { KindOfGoods(setting: $0) },
            recommended: KnownGoods.all.filter { !known.contains($0.goods) }.map { kind in
                RecommendedGoods(
                    goods: kind.goods, title: kind.title, limits: kind.limits, source: kind.source,
                    temperature: RangeResponse(from: kind.temperature.lowerBound, to: kind.temperature.upperBound),
                    humidity: RangeResponse(from: kind.humidity.lowerBound, to: kind.humidity.upperBound))
            })
    }
}
