public import EventSourcing
public import Events

extension EventPayload {
    /// The event, of whichever family.
    public var event: any Event {
        switch self {
        case .journal(let fact): fact.event
        case .sensors(let fact): fact.event
        case .trace(let fact): fact.event
        case .sync(let fact): fact.event
        case .catalog(let fact): fact.event
        case .orders(let fact): fact.event
        case .inventory(let fact): fact.event
        case .recommendations(let fact): fact.event
        }
    }
}
