/// The rules of one kind of stream: what may happen next, and what is true after it happened. Pure.
public protocol Decider {
    associatedtype Command
    associatedtype State
    associatedtype DomainEvent
    associatedtype Refusal: Error

    static var initial: State { get }
    static func decide(_ command: Command, in state: State) throws(Refusal) -> [DomainEvent]
    static func evolve(_ state: inout State, with fact: DomainEvent)
}

extension Decider {
    /// The state after all of `facts`, from the beginning.
    public static func fold(_ facts: some Sequence<DomainEvent>) -> State {
        var state = initial
        for fact in facts { evolve(&state, with: fact) }
        return state
    }
}
