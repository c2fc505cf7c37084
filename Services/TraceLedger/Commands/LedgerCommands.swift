import EventSourcing
import Events
import Host
import JSON
import Vocabulary
import Wire

/// The commands of the ledger: each request is decided into events and a response.
struct LedgerCommands {
    let tables: any Tables
    let printer: LabelPrinter
    let zones: Zones
    let ask: Request
    let now: Instant
    /// The hub's current position, which passports contain.
    let hubPosition: Position
    var passportCache: PassportCache

    typealias Outcome = (drafts: [Draft], answer: Response)

    mutating func execute(_ verb: LedgerCommandName, _ body: RequestBody) throws(Problem) -> Outcome {
        switch verb {
        case .foundFarm: try foundFarm(body)
        case .layOutPlot: try layOutPlot(body)
        case .openStore: try openStore(body)
        case .recordActivity: try recordActivity(body)
        case .correctActivity: try correctActivity(body)
        case .harvest: try harvest(body)
        case .correctHarvest: try correctHarvest(body)
        case .splitLot: try splitLot(body)
        case .packLot: try packLot(body)
        case .storeLot: try storeLot(body)
        case .handOverLot: try handOverLot(body)
        case .printLabels: try printLabels(body)
        case .recallLot: try recallLot(body)
        case .releaseLot: try releaseLot(body)
        case .refreshPassport: try refreshPassport(body)
        case .setGoods: try setGoods(body)
        case .setInventory: try inventories.setInventory(body)
        case .setFarmMap: try FarmMapCommand(tables: tables, actor: ask.actor).set(body)
        case .setItem: try inventories.setItem(body)
        case .removeItem: try inventories.removeItem(body)
        case .startStocktake: try inventories.startStocktake(body)
        case .countItems: try inventories.countItems(body)
        case .resolveDifference: try inventories.resolveDifference(body)
        case .finishStocktake: try inventories.finishStocktake(body)
        case .recordPhotograph: try PhotographCommands(commands: self).record(body)
        case .showPhotograph: try PhotographCommands(commands: self).show(body)
        case .removePhotograph: try PhotographCommands(commands: self).remove(body)
        }
    }

    private var inventories: InventoryCommands { InventoryCommands(tables: tables, ask: ask, now: now) }

    // MARK: Land

    private func foundFarm(_ body: RequestBody) throws(Problem) -> Outcome {
        let farm = FarmID(try body.name("farm"))
        guard tables.get(FarmRow.self, farm.rawValue) == nil else {
            throw Problem(409, "known", "There is a farm \(farm) already.")
        }
        let zone = try body.text("zone", limit: 64)
        guard zones.zone(zone) != nil else {
            throw Problem(
                422, "unknown-zone",
                "zone: there is no time zone \(zone); write it as Europe/Vienna or America/New_York.")
        }
        let event = FarmFounded(
            title: try body.text("title"), zone: zone, country: try body.optionalText("country", limit: 2))
        return made(event, "farm/\(farm)", farm: farm) { $0.field("farm", farm) }
    }

    private func layOutPlot(_ body: RequestBody) throws(Problem) -> Outcome {
        let farm = try farm(body)
        let plot = PlotID(try body.name("plot"))
        try free(.plot(plot))
        let event = PlotLaidOut(
            plot: plot, title: try body.text("title"), crop: try body.optionalText("crop"),
            areaSquareMetres: try body.find("areaSquareMetres"))
        return made(event, "plot/\(plot)", farm: farm) { $0.field("plot", plot) }
    }

    private func openStore(_ body: RequestBody) throws(Problem) -> Outcome {
        let farm = try farm(body)
        let store = StoreID(try body.name("store"))
        try free(.store(store))
        let event = StoreOpened(store: store, title: try body.text("title"), cold: try body.find("cold") ?? false)
        return made(event, "store/\(store)", farm: farm) { $0.field("store", store) }
    }

    private func farm(_ body: RequestBody) throws(Problem) -> FarmID {
        let farm = FarmID(try body.name("farm"))
        guard tables.get(FarmRow.self, farm.rawValue) != nil else {
            throw Problem(404, "unknown-farm", "There is no farm \(farm).")
        }
        return farm
    }

    private func free(_ place: Place) throws(Problem) {
        guard tables.get(PlaceRow.self, place.description) == nil else {
            throw Problem(409, "known", "There is a \(place) already.")
        }
    }

    private func place(_ place: Place) throws(Problem) -> PlaceRow {
        guard let row = tables.get(PlaceRow.self, place.description) else {
            throw Problem(404, "unknown-place", "There is no \(place).")
        }
        return row
    }

    // MARK: Activities

    private func recordActivity(_ body: RequestBody) throws(Problem) -> Outcome {
        let plot = PlotID(try body.name("plot"))
        let row = try place(.plot(plot))
        let activity = ActivityID("a" + BaseEncoding.base32.encode(Array(ask.entropy.prefix(10))).lowercased())
        let happened = try past(body, "happened") ?? now
        try checkRecent(happened)
        let event = ActivityRecorded(
            activity: activity, plot: plot, kind: try body.get("kind"),
            details: try details(body, instead: ActivityDetails()))
        let record = ActivityRow.Record(kind: event.kind, happened: happened, recorded: now, details: event.details)
        let held = holds.drafts(after: ActivityRow(plot: plot, activity: activity, record: record), by: ask.actor)
        let made = made(event, "plot/\(plot)", at: happened, farm: row.farm) { json in
            json.field("activity", activity)
            json.field("held", Self.lots(of: held))
        }
        return (made.drafts + held, made.answer)
    }

    /// Returns the lots that the drafts hold.
    private static func lots(of drafts: [Draft]) -> [LotID] {
        var seen: Set<String> = []
        return drafts.filter { $0.event is LotHeld && seen.insert($0.stream).inserted }
            .map { LotID(String($0.stream.dropFirst("lot/".utf8.count))) }
    }

    var holds: Holds { Holds(tables: tables, zones: zones) }

    private func correctActivity(_ body: RequestBody) throws(Problem) -> Outcome {
        let activity = ActivityID(try body.name("activity"))
        guard let row = tables.find(ActivityRow.self, where: "activity", is: activity.rawValue, limit: 1).first else {
            throw Problem(404, "unknown-activity", "Nothing was recorded as \(activity).")
        }
        guard row.corrections.count < LedgerLimits.corrections else {
            throw Problem(
                409, "too-many-corrections", "\(activity) was corrected \(LedgerLimits.corrections) times already.")
        }
        let valid = row.valid
        let happened = try past(body, "happened")
        if let happened { try checkRecent(happened) }
        let event = ActivityCorrected(
            activity: activity, kind: try body.find("kind") ?? valid.kind,
            happened: happened ?? valid.happened, details: try details(body, instead: valid.details),
            reason: try body.text("reason", limit: 500))
        let farm = try place(.plot(row.plot)).farm
        var corrected = row
        corrected.corrections.append(
            ActivityRow.Record(
                kind: event.kind, happened: event.happened, recorded: now, details: event.details,
                reason: event.reason))
        let held = holds.drafts(after: corrected, by: ask.actor)
        let made = made(event, "plot/\(row.plot)", farm: farm) { json in
            json.field("activity", activity)
            json.field("held", Self.lots(of: held))
        }
        return (made.drafts + held, made.answer)
    }

    /// Returns the requested details. Members that are missing stay as before, those that are null are removed.
    private func details(_ body: RequestBody, instead before: ActivityDetails) throws(Problem) -> ActivityDetails {
        func isNamed(_ member: String) -> Bool { body.json[member] != nil }
        let details = ActivityDetails(
            substance: isNamed("substance") ? try body.optionalText("substance") : before.substance,
            amount: isNamed("amount") ? try body.find("amount") : before.amount,
            unit: isNamed("unit") ? try body.optionalText("unit", limit: 20) : before.unit,
            waitingDays: isNamed("waitingDays") ? try body.find("waitingDays") : before.waitingDays)
        guard (0...1000).contains(details.waitingDays ?? 0), (details.amount ?? 0) >= 0 else {
            throw Problem(400, "malformed", "amount and waitingDays must not be negative, nor waitingDays above 1000.")
        }
        return details
    }

    /// Returns the time of a member; nil if it is missing. Throws a `Problem` if it is in the future.
    func past(_ body: RequestBody, _ member: String) throws(Problem) -> Instant? {
        guard let time: Instant = try body.find(member) else { return nil }
        guard time <= now.advanced(bySeconds: 60) else {
            throw Problem(422, "in-the-future", "\(member): \(time) has not come yet; it is \(now).")
        }
        return min(time, now)
    }

    // MARK: Responses

    func made(
        _ event: any Event, _ stream: String, at time: Instant? = nil, farm: FarmID?,
        _ write: (inout JSONWriter) -> Void
    ) -> Outcome {
        ([draft(event, stream, at: time, farm: farm)], .made(201, write))
    }

    func draft(_ event: any Event, _ stream: String, at time: Instant? = nil, farm: FarmID?) -> Draft {
        Draft(event, in: stream, at: time, farm: farm, by: ask.actor)
    }
}
