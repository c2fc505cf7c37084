public import EventSourcing
import JSON

/// Starts a test of a decider: `try given(LotRules.self, events).when(command).then(expected)`.
public func given<Rules: Decider>(_ rules: Rules.Type, _ facts: [Rules.DomainEvent] = []) -> Given<Rules> {
    Given(facts: facts)
}

/// The events before a command.
public struct Given<Rules: Decider> {
    let facts: [Rules.DomainEvent]

    /// Decides the command.
    public func when(_ command: Rules.Command) -> Decided<Rules> {
        let state = Rules.fold(facts)
        do throws(Rules.Refusal) {
            return Decided(facts: facts, outcome: .success(try Rules.decide(command, in: state)))
        } catch {
            return Decided(facts: facts, outcome: .failure(error))
        }
    }
}

/// The decision on a command.
public struct Decided<Rules: Decider> {
    let facts: [Rules.DomainEvent]
    /// The decided events, or the refusal.
    public let outcome: Result<[Rules.DomainEvent], Rules.Refusal>

    /// Returns the decided events and the state after them; throws if the command was refused.
    @discardableResult
    public func decided() throws -> (facts: [Rules.DomainEvent], state: Rules.State) {
        switch outcome {
        case .success(let decided): (decided, Rules.fold(facts + decided))
        case .failure(let refusal): throw ContractBreach("was refused: \(refusal)")
        }
    }

    /// Throws unless the command was refused for that reason.
    public func refuses(_ expected: Rules.Refusal) throws where Rules.Refusal: Equatable {
        switch outcome {
        case .success(let decided): throw ContractBreach("was not refused: \(decided)")
        case .failure(let refusal): try require(refusal, equals: expected, "another refusal")
        }
    }
}

extension Decided where Rules.DomainEvent: EventFamily {
    /// Throws unless exactly these events were decided, compared as they are written.
    public func then(_ expected: Rules.DomainEvent...) throws {
        let decided = try decided().facts
        try require(decided.map(spelled), equals: expected.map(spelled), "other facts")
    }

    private func spelled(_ fact: Rules.DomainEvent) -> String {
        var json = JSONWriter()
        json.object { json in fact.event.write(fields: &json) }
        return "\(type(of: fact.event).name) \(json.text)"
    }
}

extension Decided where Rules.DomainEvent: Equatable {
    /// Throws unless exactly these events were decided.
    @_disfavoredOverload
    public func then(_ expected: Rules.DomainEvent...) throws {
        try require(decided().facts, equals: expected, "other facts")
    }
}
