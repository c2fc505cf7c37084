public import EventSourcing
public import Events
public import Host
import JSON
public import Vocabulary
import Wire

/// The service of farms, plots, stores, activities, lots and labels. It also hosts the hub, which orders the events of
/// all origins.
public struct TraceLedger: Service {
    public static let name = "trace-ledger"
    public static let tables = [
        FarmRow.schema, PlaceRow.schema, ActivityRow.schema, PhotographRow.schema, TrustedTimeRow.schema, LotRow.schema,
        BoxRow.schema,
        CustodyRow.schema,
        StoryIntervalRow.schema, OpenIntervalRow.schema, DevicePlaceRow.schema, PlacementRow.schema, BindingRow.schema,
        ReportDedupRow.schema,
        HourRow.schema, LatestRow.schema, LedgerAlarmRow.schema, LabelKeyRow.schema, PassportRow.schema,
        LedgerProductRow.schema,
        WitnessRow.schema, ListedLotRow.schema, GoodsRow.schema, StorageLimitsRow.schema, SeriesRow.schema,
        SampleRow.schema, LimitRow.schema, CalibrationRow.schema, InventoryRow.schema, ItemRow.schema,
        FarmMapRow.schema,
        MapPinRow.schema,
        StocktakeRow.schema, SightingRow.schema, LotDepartureRow.schema, ResolutionRow.schema, ReportLineRow.schema,
    ]
    public static let takesClockMarks = true
    public static let allowedVerbs: [String: Set<String>] = [
        SensorCommandName.service: [LedgerQueryName.keptReports.rawValue]
    ]

    let printer: LabelPrinter
    let archive: any Archive
    private let zones: Zones
    private var passportCache = PassportCache()
    private var witnesses = Witnesses()
    private var review = HoldReview()
    private var storage = StorageReview()
    private var photographs: PhotographReview

    /// - Parameter photographDays: The age in days at which photographs are removed that no story shows; nil is the
    ///   default of 730, and 0 keeps all.
    public init(printer: LabelPrinter, archive: any Archive, zones: Zones, photographDays: Int? = nil) {
        photographs = PhotographReview(days: photographDays ?? LedgerLimits.photographDays)
        self.printer = printer
        self.archive = archive
        self.zones = zones
    }

    public static func fold(_ told: RecordedEvent, into tables: some Tables) {
        switch told.fact {
        case .trace(let fact): TraceViews.apply(fact, told.envelope, to: tables)
        case .inventory(let fact): InventoryViews.apply(fact, told.envelope, to: tables)
        case .sensors(let fact): ClimateViews.apply(fact, told.envelope, to: tables)
        case .journal(.journalPruned(let event)): PruneProjection(event)?.apply(to: tables)
        case .journal(.clockStepped(let step)) where step.seconds < 0:
            ClimateViews.setBack(to: told.envelope.time, in: tables)
        case .journal(.clockTrusted(let mark)): TrustedTimeRow.note(mark, in: tables)
        case .journal(.witnessRequested):
            ReportDedupRow.forgetOld(at: told.envelope.recorded, tables)
            tables.put(WitnessRow(askedAt: told.envelope.recorded))
        case .catalog(.offerPublished(let event)):
            guard var row = tables.get(LotRow.self, event.lot.rawValue) else { return }
            row.isOffered = true
            tables.put(row)
        case .journal, .sync, .catalog, .orders, .recommendations: break
        }
    }

    public mutating func step(_ input: Input, at now: Instant, seeing tables: any Tables) -> [Effect] {
        switch input {
        case .asked(let ask): answer(ask, at: now, tables)
        case .ticked:
            publishLabelKey(tables) + reviewHolds(tables) + Self.appends(storage.next(tables))
                + Self.appends(photographs.next(at: now, tables))
                + (isWitnessDue(at: now, tables) ? requestWitnesses() : [])
        case .heard, .opened, .received, .answered, .requested, .finished: []
        }
    }

    /// Returns the response to a query that has a thread of its own.
    static func answer(_ ask: Request, at now: Instant, reading tables: any Tables, _ zones: Zones) -> QueryAnswer {
        do throws(Problem) {
            let body = try RequestBody(ask.body)
            return switch LedgerQueryName(rawValue: ask.verb) {
            case .readings: QueryAnswer(try ReadingsQuery(body, in: tables, zones, now: now).response())
            case .growth: QueryAnswer(try GrowthQuery(body, in: tables, zones, now: now).response())
            default: throw Problem(404, "unknown-verb", "The ledger does not know how to \(ask.verb).")
            }
        } catch {
            return QueryAnswer(error.answer)
        }
    }

    private mutating func answer(_ ask: Request, at now: Instant, _ tables: any Tables) -> [Effect] {
        do throws(Problem) {
            let body = try RequestBody(ask.body)
            let queries = LedgerQueries(tables: tables, archive: archive, printer: printer, zones: zones, now: now)
            if let answer = try queries.answer(ask.verb, body) { return [.reply(ask, answer)] }
            guard let verb = LedgerCommandName(rawValue: ask.verb) else {
                throw Problem(404, "unknown-verb", "The ledger does not know how to \(ask.verb).")
            }
            var commands = LedgerCommands(
                tables: tables, printer: printer, zones: zones, ask: ask, now: now, hubPosition: archive.hubPosition,
                passportCache: passportCache)
            let (drafts, answer) = try commands.execute(verb, body)
            passportCache = commands.passportCache
            storage.note(drafts, tables)
            if verb == .refreshPassport, !drafts.isEmpty { archive.signAtNextCommit() }
            let rest = Self.appends(Array(drafts.dropFirst(EventLimits.decisionEvents)))
            return [.settle(ask, Array(drafts.prefix(EventLimits.decisionEvents)), answer)] + rest
                + (verb == .recallLot ? requestWitnesses() : [])
        } catch {
            return [.settle(ask, [], error.answer)]
        }
    }

    private mutating func reviewHolds(_ tables: any Tables) -> [Effect] {
        Self.appends(review.next(Holds(tables: tables, zones: zones), by: .service(Self.name)))
    }

    /// Returns effects that are committed together; one effect has a limited number of events.
    private static func appends(_ drafts: [Draft]) -> [Effect] {
        stride(from: 0, to: drafts.count, by: EventLimits.decisionEvents).map { start in
            .append(Array(drafts[start..<min(start + EventLimits.decisionEvents, drafts.count)]))
        }
    }

    /// Returns whether a witness request is due. Before the first request, the time counts from the publication of the
    /// label key.
    private mutating func isWitnessDue(at now: Instant, _ tables: any Tables) -> Bool {
        let asked = tables.get(WitnessRow.self, WitnessRow.only)?.asked
        guard let last = asked ?? tables.get(LabelKeyRow.self, printer.kid)?.since else { return false }
        return witnesses.isDue(at: now, last: last)
    }

    /// Requests from all subscribers of the hub that they record its current checkpoint.
    private func requestWitnesses() -> [Effect] {
        let checkpoint: String?
        do throws(LogFailure) {
            checkpoint = try archive.checkpoint()
        } catch {
            return [.note(OperatorEvent("witness_not_asked"))]
        }
        // Before the first checkpoint there is nothing to witness.
        guard let checkpoint else { return [] }
        return [.append([Draft(WitnessRequested(checkpoint: checkpoint), in: "witness", by: .service(Self.name))])]
    }

    /// Publishes the key that labels are signed with, before any other event.
    private func publishLabelKey(_ tables: any Tables) -> [Effect] {
        guard tables.get(LabelKeyRow.self, printer.kid) == nil else { return [] }
        let event = LabelKeyAdded(kid: printer.kid, publicKey: BaseEncoding.base64url.encode(printer.publicKey))
        return [.append([Draft(event, in: "label-key/\(printer.kid)", by: .service(Self.name))])]
    }
}
