public import EventSourcing
import EventStore
public import Events
public import Host
public import Vault
public import Vocabulary
import Wire

/// The market service: products of traced lots, their stock, carts, orders and payments.
///
/// One process decides about all stock and handles one request after the other, so that no box is promised twice.
public struct CatalogOrders: Service {
    public static let name = "catalog-orders"
    public static let tables = [
        MarketFarmRow.schema, MarketLotRow.schema, StockRow.schema, UnpublishedLevelRow.schema, PickupRow.schema,
        FavouriteRow.schema,
        ProductRow.schema,
        OfferRow.schema, OnSaleRow.schema, CartRow.schema, OrderRow.schema, UnpublishedOrderRow.schema,
        LotOrderRow.schema, PaymentRow.schema,
        ExpiryRow.schema, ErasedRow.schema, PromotionRow.schema, PromotionSeenRow.schema,
    ]

    private let contacts: Contacts
    private let hasSandbox: Bool
    /// Whether the vault is known to hold no contact of an erased person.
    private var hasForgotten = false
    /// When the erasure of all erased persons was last tried.
    private var triedToForget: Instant?
    private var unresolved = UnresolvedReferences()

    /// - Parameter hasSandbox: whether orders can be paid with the sandbox provider.
    public init(vault: Vault, hasSandbox: Bool = false) {
        self.init(Contacts(vault), hasSandbox: hasSandbox)
    }

    init(_ contacts: Contacts, hasSandbox: Bool) {
        self.contacts = contacts
        self.hasSandbox = hasSandbox
    }

    public static func fold(_ told: RecordedEvent, into tables: some Tables) {
        switch told.fact {
        case .catalog(let fact): CatalogViews.apply(fact, told.envelope, to: tables)
        case .orders(let fact): OrderViews.apply(fact, told.envelope, to: tables)
        case .trace(let fact): CatalogViews.apply(fact, told.envelope, to: tables)
        case .sync(.personErased(let event)):
            tables.put(ErasedRow(event.person, since: told.envelope.time))
            OrderViews.withdrawRecords(of: event.person, tables)
        case .inventory, .journal, .sensors, .sync, .recommendations: break
        }
    }

    public mutating func step(_ input: Input, at now: Instant, seeing tables: any Tables) -> [Effect] {
        switch input {
        case .asked(let ask): return answer(ask, at: now, tables)
        case .heard(_, let events): return hear(events, at: now, tables)
        case .ticked: return forgetAll(tables, at: now) + Reactions(tables: tables, now: now).ranOut()
        case .opened, .received, .answered, .requested, .finished: return []
        }
    }

    public func consequences(seeing tables: any Tables) -> [Draft] { Consequences.unpublished(tables) }

    public mutating func update(isUpToDate: Bool) { unresolved.isUpToDate = isUpToDate }

    /// Returns the response to a query that reads only the tables.
    static func answer(_ ask: Request, at now: Instant, reading tables: any Tables) -> QueryAnswer {
        do throws(Problem) {
            guard let query = MarketQueryName(rawValue: ask.verb), query.readsTablesAlone else {
                throw Problem(404, "unknown-verb", "The market does not know how to \(ask.verb).")
            }
            let queries = MarketQueries(tables: tables, contacts: nil, ask: ask, now: now)
            let answer = try queries.answer(query, RequestBody(ask.body))
            return QueryAnswer(answer, until: queries.nextEnd.time)
        } catch {
            return QueryAnswer(error.answer)
        }
    }

    private mutating func answer(_ ask: Request, at now: Instant, _ tables: any Tables) -> [Effect] {
        do throws(Problem) {
            let body = try RequestBody(ask.body)
            if let query = MarketQueryName(rawValue: ask.verb) {
                let queries = MarketQueries(tables: tables, contacts: contacts, ask: ask, now: now)
                return [.reply(ask, try queries.answer(query, body))]
            }
            // Personal data never enters the journal, not even as a stored response. So this response is not stored.
            if ContactCommandName(rawValue: ask.verb) == .keepContact {
                return [.reply(ask, try contacts.keep(ask, KeepContact(body)))]
            }
            guard let verb = MarketCommandName(rawValue: ask.verb) else {
                throw Problem(404, "unknown-verb", "The market does not know how to \(ask.verb).")
            }
            let commands = MarketCommands(tables: tables, ask: ask, now: now, hasSandbox: hasSandbox)
            let (drafts, answer) = try commands.carryOut(verb, body)
            return [.settle(ask, drafts, answer)]
        } catch {
            // A payment report that arrives too early may be valid a moment later, so its refusal is not stored
            // under its idempotency key.
            let isPassing = error.finality != .final || ask.verb == MarketCommandName.reportPayment.rawValue
            let answer = unresolved.refusal(error, at: now).answer
            return [isPassing ? .reply(ask, answer) : .settle(ask, [], answer)]
        }
    }

    private mutating func hear(_ events: [RecordedEvent], at now: Instant, _ tables: any Tables) -> [Effect] {
        let news = Reactions(tables: tables, now: now)
        var recalls: [Reactions.Recall] = []
        var erasures: [Effect] = []
        for told in events {
            switch told.fact {
            case .trace(.lotRecalled(let event)): recalls.append(Reactions.Recall(event, by: told.envelope.id))
            case .sync(.personErased(let event)):
                erasures += forget([event.person]) + news.erased(event.person, by: told.envelope.id)
            case .inventory, .journal, .sensors, .trace, .sync, .catalog, .orders, .recommendations: break
            }
        }
        return news.recalled(recalls) + erasures
    }

    /// Erases the contacts of all erased persons: after the start, and again after a failure of the vault.
    ///
    /// An erasure event is handled only once, so without this retry a failed or restored vault would retain contacts.
    private mutating func forgetAll(_ tables: any Tables, at now: Instant) -> [Effect] {
        if let triedToForget, abs(now.seconds(since: triedToForget)) < MarketLimits.secondsOfPatience { return [] }
        guard !hasForgotten else { return [] }
        triedToForget = now
        hasForgotten = true
        return forget(tables.scan(ErasedRow.self, limit: .max).map { PersonID($0.key) })
    }

    private mutating func forget(_ persons: [PersonID]) -> [Effect] {
        do {
            return Array(repeating: .note(OperatorEvent("persons_erased")), count: try contacts.erase(persons))
        } catch {
            hasForgotten = false
            return [.note(OperatorEvent("vault_failures"))]
        }
    }
}
