/// What something broke of its contract.
public struct ContractBreach: Error, CustomStringConvertible, Sendable {
    public let description: String

    public init(_ description: String) {
        self.description = description
    }
}

/// One clause of a contract, as a check that throws where it is broken.
public struct ContractCheck<Harness>: Sendable, CustomStringConvertible {
    /// A sentence: what whoever keeps the contract does.
    public let description: String
    public let run: @Sendable (Harness) async throws -> Void

    public init(_ description: String, _ run: @escaping @Sendable (Harness) async throws -> Void) {
        self.description = description
        self.run = run
    }
}

/// Throws `ContractBreach` unless the condition holds.
func require(_ condition: Bool, _ what: @autoclosure () -> String) throws {
    guard condition else { throw ContractBreach(what()) }
}

/// Throws `ContractBreach` unless both are equal.
func require<Value: Equatable>(_ found: Value, equals expected: Value, _ what: @autoclosure () -> String) throws {
    guard found == expected else { throw ContractBreach("\(what()): found \(found), expected \(expected)") }
}
