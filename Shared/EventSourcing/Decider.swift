/// The rules of one kind of stream, as pure functions: which events a command leads to, and how an event changes the
/// state.
///
/// ```
/// let state = Stock.fold([.counted(12), .ordered(2)])
/// let movements = try Stock.decide(.order(boxes: 3, fromCart: 0, insteadOf: 0), in: state)
/// ```
public protocol Decider {
    associatedtype Command
    associatedtype State
    associatedtype DomainEvent
    associatedtype Refusal: Error

    /// The state of a stream without events.
    static var initial: State { get }
    /// Returns the events that `command` leads to in `state`. Throws the refusal if the rules do not permit it.
    static func decide(_ command: Command, in state: State) throws(Refusal) -> [DomainEvent]
    /// Applies one event to the state.
    static func evolve(_ state: inout State, with fact: DomainEvent)
}

extension Decider {
    /// Returns the state after all of `facts`, from the initial state.
    public static func fold(_ facts: some Sequence<DomainEvent>) -> State {
        var state = initial
        for fact in facts { evolve(&state, with: fact) }
        return state
    }
}
