/// The names of the requests of one kind that a service answers.
///
/// A request carries a name as text. A service that switches over these names has a case for each: a name without a
/// rule does not compile, and neither does a request for a name that no service has.
public protocol RequestName: RawRepresentable<String>, CaseIterable, Sendable {
    /// The service that answers.
    static var service: String { get }
}

/// The name of a command of any service: a request to change something.
public enum CommandName: Sendable {
    case ledger(LedgerCommandName)
    case reception(ReceptionName)
    case sensors(SensorCommandName)
    case market(MarketCommandName)
    case contact(ContactCommandName)
    case recommender(RecommenderCommandName)

    /// The name, with the service that decides the command.
    public var request: any RequestName {
        switch self {
        case .ledger(let name): name
        case .reception(let name): name
        case .sensors(let name): name
        case .market(let name): name
        case .contact(let name): name
        case .recommender(let name): name
        }
    }
}

/// The name of a query of any service. It has no idempotency key.
public enum QueryName: Sendable {
    case ledger(LedgerQueryName)
    case land(LandQueryName)
    case lots(LotQueryName)
    case inventory(InventoryQueryName)
    case sensors(SensorQueryName)
    case market(MarketQueryName)
    case recommender(RecommenderQueryName)

    /// The name, with the service that answers the query.
    public var request: any RequestName {
        switch self {
        case .ledger(let name): name
        case .land(let name): name
        case .lots(let name): name
        case .inventory(let name): name
        case .sensors(let name): name
        case .market(let name): name
        case .recommender(let name): name
        }
    }
}

extension RequestName {
    /// The service that answers this request.
    public var service: String { Self.service }
}
