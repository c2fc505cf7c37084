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
        case .foundFarm: try foundFarm(FoundFarm(body))
        case .layOutPlot: try layOutPlot(LayOutPlot(body))
        case .openStore: try openStore(OpenStore(body))
        case .recordActivity: try recordActivity(RecordActivity(body))
        case .correctActivity: try correctActivity(CorrectActivity(body))
        case .harvest: try harvest(Harvest(body))
        case .correctHarvest: try correctHarvest(CorrectHarvest(body))
        case .splitLot: try splitLot(SplitLot(body))
        case .packLot: try packLot(PackLot(body))
        case .storeLot: try storeLot(StoreLot(body))
        case .handOverLot: try handOverLot(HandOverLot(body))
        case .printLabels: try printLabels(PrintLabels(body))
        case .recallLot: try recallLot(RecallLot(body))
        case .releaseLot: try releaseLot(ReleaseLot(body))
        case .refreshPassport: try refreshPassport(RefreshPassport(body))
        case .setGoods: try setGoods(SetGoods(body))
        case .setInventory: try inventories.setInventory(SetInventory(body))
        case .setFarmMap: try FarmMapCommand(tables: tables, actor: ask.actor).set(SetFarmMap(body))
        case .setItem: try inventories.setItem(SetItem(body))
        case .removeItem: try inventories.removeItem(RemoveItem(body))
        case .startStocktake: try inventories.startStocktake(StartStocktake(body))
        case .countItems: try inventories.countItems(CountItems(body))
        case .resolveDifference: try inventories.resolveDifference(ResolveDifference(body))
        case .finishStocktake: try inventories.finishStocktake(FinishStocktake(body))
        case .recordPhotograph: try photographs.record(RecordPhotograph(body))
        case .showPhotograph: try photographs.show(ShowPhotograph(body))
        case .removePhotograph: try photographs.remove(RemovePhotograph(body))
        }
    }

    private var inventories: InventoryCommands { InventoryCommands(tables: tables, ask: ask, now: now) }
    private var photographs: PhotographCommands { PhotographCommands(commands: self) }

    // MARK: Land

    private func foundFarm(_ command: FoundFarm) throws(Problem) -> Outcome {
        let farm = command.farm
        guard tables.get(FarmRow.self, farm.rawValue) == nil else {
            throw Problem(409, "known", "There is a farm \(farm) already.")
        }
        guard zones.zone(command.zone) != nil else {
            throw Problem(
                422, "unknown-zone",
                "zone: there is no time zone \(command.zone); write it as Europe/Vienna or America/New_York.")
        }
        let event = FarmFounded(title: command.title, zone: command.zone, country: command.country)
        return made(event, "farm/\(farm)", farm: farm) { $0.field("farm", farm) }
    }

    private func layOutPlot(_ command: LayOutPlot) throws(Problem) -> Outcome {
        try checkKnown(command.farm)
        try free(.plot(command.plot))
        let event = PlotLaidOut(
            plot: command.plot, title: command.title, crop: command.crop, areaSquareMetres: command.areaSquareMetres)
        return made(event, "plot/\(command.plot)", farm: command.farm) { $0.field("plot", command.plot) }
    }

    private func openStore(_ command: OpenStore) throws(Problem) -> Outcome {
        try checkKnown(command.farm)
        try free(.store(command.store))
        let event = StoreOpened(store: command.store, title: command.title, cold: command.cold)
        return made(event, "store/\(command.store)", farm: command.farm) { $0.field("store", command.store) }
    }

    /// Throws a 404 if there is no such farm.
    private func checkKnown(_ farm: FarmID) throws(Problem) {
        guard tables.get(FarmRow.self, farm.rawValue) != nil else {
            throw Problem(404, "unknown-farm", "There is no farm \(farm).")
        }
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

    private func recordActivity(_ command: RecordActivity) throws(Problem) -> Outcome {
        let plot = command.plot
        let row = try place(.plot(plot))
        let activity = ActivityID("a" + BaseEncoding.base32.encode(Array(ask.entropy.prefix(10))).lowercased())
        let happened = try past(command.happened, "happened") ?? now
        try checkRecent(happened)
        let event = ActivityRecorded(
            activity: activity, plot: plot, kind: command.kind,
            details: ActivityDetails(
                substance: command.substance, amount: command.amount, unit: command.unit,
                waitingDays: command.waitingDays))
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

    private func correctActivity(_ command: CorrectActivity) throws(Problem) -> Outcome {
        let activity = command.activity
        guard let row = tables.find(ActivityRow.self, where: "activity", is: activity.rawValue, limit: 1).first else {
            throw Problem(404, "unknown-activity", "Nothing was recorded as \(activity).")
        }
        guard row.corrections.count < LedgerLimits.corrections else {
            throw Problem(
                409, "too-many-corrections", "\(activity) was corrected \(LedgerLimits.corrections) times already.")
        }
        let valid = row.valid
        let happened = try past(command.happened, "happened")
        if let happened { try checkRecent(happened) }
        let event = ActivityCorrected(
            activity: activity, kind: command.kind ?? valid.kind, happened: happened ?? valid.happened,
            details: ActivityDetails(
                substance: command.substance.applied(to: valid.details.substance),
                amount: command.amount.applied(to: valid.details.amount),
                unit: command.unit.applied(to: valid.details.unit),
                waitingDays: command.waitingDays.applied(to: valid.details.waitingDays)),
            reason: command.reason)
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

    /// Returns a time that is not in the future; nil for nil. Throws a `Problem` that names the member if it is.
    func past(_ time: Instant?, _ member: String) throws(Problem) -> Instant? {
        guard let time else { return nil }
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
