import EventSourcing
import TestKit
import Testing

@Suite("Decider")
struct DeciderTests {
    /// A gate that can be opened to a width and closed: a minimal decider.
    private enum Gate: Decider {
        enum Command { case open(Int), close }
        enum Refusal: Error, Equatable { case isOpen, isShut }
        enum DomainEvent: Equatable { case opened(Int), closed }

        static let initial: Int? = nil

        static func decide(_ command: Command, in state: Int?) throws(Refusal) -> [DomainEvent] {
            switch (command, state) {
            case (.open(let width), nil): [.opened(width)]
            case (.open, .some): throw .isOpen
            case (.close, .some): [.closed]
            case (.close, nil): throw .isShut
            }
        }

        static func evolve(_ state: inout Int?, with fact: DomainEvent) {
            switch fact {
            case .opened(let width): state = width
            case .closed: state = nil
            }
        }
    }

    @Test func `the state of a decider is the fold of its events in order`() {
        #expect(Gate.fold([]) == nil)
        #expect(Gate.fold([.opened(2), .closed, .opened(3)]) == 3)
        #expect(Gate.fold([.opened(2), .closed]) == nil)
    }

    @Test func `a decider returns events or refuses, depending on its state`() throws {
        try given(Gate.self).when(.open(2)).then(.opened(2))
        try given(Gate.self, [.opened(2)]).when(.open(3)).refuses(.isOpen)
        try given(Gate.self, [.opened(2), .closed]).when(.close).refuses(.isShut)
    }

    @Test func `given, when and then fail for a decider with another outcome`() {
        #expect(throws: ContractBreach.self) { try given(Gate.self).when(.open(2)).then(.opened(3)) }
        #expect(throws: ContractBreach.self) { try given(Gate.self).when(.close).then(.closed) }
        #expect(throws: ContractBreach.self) { try given(Gate.self).when(.open(1)).refuses(.isOpen) }
    }
}
