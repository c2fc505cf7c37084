public import EventSourcing
public import Events
public import Host
import JSON
public import Vocabulary
import Wire

/// The recommender service: suggests products to buy next, learnt from the orders in the hub.
public struct Recommender: Service {
    public static let name = "recommender"
    public static let tables = [
        RecommenderProductRow.schema, TallyRow.schema, RecommenderOfferRow.schema, RecommenderLotRow.schema,
        PurchaseRow.schema, RecommenderErasedRow.schema, ModelRow.schema, PicksRow.schema,
        FavouritesRow.schema, ViewedRow.schema, PicksOutcomeRow.schema, PicksCountRow.schema,
        FeedbackRow.schema,
    ]

    /// The state read from the tables, or nil until it is first needed.
    private var memory: ModelState?
    private var model: Model?
    private var solving: Solving?
    private var tick: UInt64 = 0
    /// The first tick at which the model may be solved again.
    private var rested: UInt64 = 0
    /// The first tick at which it may be solved again while many events arrive, such as past orders that are imported.
    private var restedFromBulk: UInt64 = 0
    /// The people whose feedback has changed since the last tick.
    private var changed: Set<PersonID> = []
    /// The events that were consumed since the last tick.
    private var consumed = 0

    /// A model that a worker thread is solving.
    private struct Solving {
        let problem: Model.Problem
        let baskets: Int
        let begun: UInt64
    }

    private let room: Int

    public init() { self.init(room: RecommenderLimits.products) }

    /// - Parameter room: the maximum number of products in the model.
    init(room: Int) { self.room = room }

    public static func fold(_ told: RecordedEvent, into tables: some Tables) {
        switch told.fact {
        case .catalog(let fact): ShopViews.apply(fact, told.envelope, to: tables)
        case .orders(let fact): PurchaseViews.apply(fact, told.envelope, to: tables)
        case .recommendations(.modelSolved(let event)):
            tables.put(ModelRow(event, told: told.envelope.time))
        case .recommendations(.picksChosen(let event)):
            // The hub may contain the erasure of a person before the journal contains their last picks.
            guard tables.get(RecommenderErasedRow.self, event.person.rawValue) == nil else { return }
            PicksOutcomes.note(event, at: told.envelope.time, tables)
            tables.put(PicksRow(event))
        case .recommendations(.productsViewed(let event)):
            guard tables.get(RecommenderErasedRow.self, event.person.rawValue) == nil else { return }
            var row = tables.get(ViewedRow.self, event.person.rawValue) ?? ViewedRow(event.person)
            row.add(event.products, at: told.envelope.time)
            tables.put(row)
        case .recommendations(.feedbackReceived(let event)): FeedbackViews.apply(event, to: tables)
        case .recommendations(.feedbackDeleted(let event)): FeedbackViews.apply(event, to: tables)
        case .recommendations(.viewsForgotten(let event)): tables.remove(ViewedRow.self, event.person.rawValue)
        case .sync(.personErased(let event)):
            PurchaseViews.erase(event.person, at: told.envelope.time, tables)
            PicksOutcomes.erase(event.person, tables)
            FeedbackViews.erase(event.person, tables)
            tables.remove(ViewedRow.self, event.person.rawValue)
            tables.remove(PicksRow.self, event.person.rawValue)
            tables.remove(FavouritesRow.self, event.person.rawValue)
        case .trace(.handedOver(let event)): ShopViews.change(event.lot, tables) { $0.isBlocked = true }
        case .trace(.lotSplit(let event)):
            let ancestors = [event.lot] + (tables.get(RecommenderLotRow.self, event.lot.rawValue)?.ancestors ?? [])
            let divided = tables.get(RecommenderLotRow.self, event.lot.rawValue)
            ShopViews.change(event.into, tables) { row in
                row.ancestors = ancestors
                row.holds = divided?.holds ?? OpenHolds()
                row.harvested = divided?.harvested
            }
        case .trace(.harvested(let event)):
            let time = told.envelope.time
            ShopViews.change(event.lot, tables) { $0.harvested = time }
        case .trace(.lotRecalled(let event)):
            for lot in [event.lot] + event.includes { ShopViews.change(lot, tables) { $0.isBlocked = true } }
        case .trace(let fact):
            guard let hold = fact.holdChange else { return }
            for lot in hold.lots { ShopViews.change(lot, tables) { $0.holds.apply(hold) } }
        case .inventory, .sync, .journal, .sensors: break
        }
    }

    public mutating func step(_ input: Input, at now: Instant, seeing tables: any Tables) -> [Effect] {
        switch input {
        case .ticked:
            tick += 1
            // What was settled before this tick is committed.
            memory?.reread(changed, from: tables)
            changed = []
            let isBulk = consumed > RecommenderLimits.bulkEvents
            consumed = 0
            return isBulk && tick < restedFromBulk ? [] : solve(tables)
        case .heard(_, let events):
            consumed += events.count
            if memory == nil {
                memory = ModelState(tables, room: room)
            } else {
                memory?.refresh(after: events, from: tables)
            }
            return []
        case .asked(let ask): return [answer(ask, at: now, tables)]
        case .finished(_, let result): return solved(result, at: now, tables)
        case .opened, .received, .answered, .requested: return []
        }
    }

    public var limits: ServiceLimits {
        guard let coverage = memory?.coverage else { return ServiceLimits() }
        return ServiceLimits(figures: coverage.figures, remark: coverage.remark, shortfall: coverage.shortfall)
    }

    /// Returns the state for a request.
    private mutating func currentState(_ tables: any Tables, at now: Instant) -> ModelState {
        var memory = memory ?? ModelState(tables, room: room)
        self.memory = nil
        memory.reread(changed, from: tables)
        memory.chooseTimely(at: now)
        self.memory = memory
        return memory
    }

    private mutating func answer(_ ask: Request, at now: Instant, _ tables: any Tables) -> Effect {
        let memory = currentState(tables, at: now)
        let context = SuggestionContext(memory: memory, model: model, tables: tables, now: now)
        do throws(Problem) {
            let body = try RequestBody(ask.body)
            if let command = RecommenderCommandName(rawValue: ask.verb) {
                let commands = ViewCommands(context)
                return switch command {
                case .view: try commands.view(ask, View(body))
                case .forgetViews: try commands.forget(ask)
                }
            }
            switch RecommenderQueryName(rawValue: ask.verb) {
            case .picks: return DailyPicks(context: context, query: try PicksQuery(body)).answer(ask)
            case .shelves:
                let shelves = Shelves(context: context, isModelCurrent: !memory.isChanged && solving == nil)
                return .reply(ask, .made(try shelves.answer(ShelvesQuery(body))))
            case .why: return .reply(ask, .made(try Explanation(context: context).answer(WhyQuery(body))))
            case .picksOutcomes: return .reply(ask, .made(OutcomesByModel(context: context).answer()))
            case .gorse:
                let effect = try GorseQueries.answer(ask, body, context)
                noteChange(of: effect)
                return effect
            case .export: return .reply(ask, .made(try StoredData(context: context).answer(ask)))
            case nil: throw Problem(404, "unknown-verb", "The recommender does not know how to \(ask.verb).")
            }
        } catch {
            return .reply(ask, error.answer)
        }
    }

    /// Notes whose baskets a change of feedback changes: they are read again once it is committed.
    private mutating func noteChange(of effect: Effect) {
        guard case .settle(_, let drafts, _) = effect else { return }
        for draft in drafts {
            if let event = draft.event as? FeedbackReceived { changed.formUnion(event.feedback.map(\.person)) }
            if let event = draft.event as? FeedbackDeleted { changed.insert(event.person) }
        }
    }

    // MARK: The model

    /// Starts a solution of the model on a worker thread if baskets or the listed products changed and the pause since
    /// the last one is over.
    private mutating func solve(_ tables: any Tables) -> [Effect] {
        if memory == nil { memory = ModelState(tables, room: room) }
        guard memory?.isChanged == true, solving == nil, tick >= rested else { return [] }
        // In place, because changing a copy would copy the sums.
        memory?.focus()
        memory?.isChanged = false
        guard let memory else { return [] }
        let position = tables.get(FeedCheckpointRow.self, "hub")?.checkpoint.position ?? 0
        let problem = Model.Problem(memory.shoppers, names: memory.shop.names, position: position)
        solving = Solving(problem: problem, baskets: memory.shoppers.sales.baskets, begun: tick)
        return [.work(token: tick) { Model.solve(problem) }]
    }

    private mutating func solved(_ weights: [UInt8], at now: Instant, _ tables: any Tables) -> [Effect] {
        guard let solving else { return [] }
        self.solving = nil
        restedFromBulk = tick + RecommenderLimits.bulkRestTicks
        rested = tick + max(RecommenderLimits.restTicks, RecommenderLimits.restFactor * (tick - solving.begun))
        guard let model = Model(solving.problem, solved: weights) else {
            // The worker's queue was full, so the result is empty. A later tick tries again.
            memory?.isChanged = true
            return []
        }
        self.model = model
        let told = tables.get(ModelRow.self, ModelRow.nextBasket)
        guard !model.products.isEmpty, told?.event.digest != Hex.encode(model.digest),
            told.map({ now.seconds(since: $0.told) >= RecommenderLimits.tellSeconds }) ?? true
        else { return [] }
        let event = ModelSolved(
            position: model.position, products: model.products.count, shoppers: solving.problem.shoppers,
            baskets: solving.baskets, digest: Hex.encode(model.digest))
        return [.append([Draft(event, in: "model/\(ModelRow.nextBasket)", by: .service(Self.name))])]
    }
}
