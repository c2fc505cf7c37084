/// A violation of a contract.
public struct ContractBreach: Error, CustomStringConvertible, Sendable {
    /// What was violated.
    public let description: String

    /// Creates a violation.
    public init(_ description: String) {
        self.description = description
    }
}

/// One clause of a contract, as a check that throws if it is violated.
public struct ContractCheck<Harness>: Sendable, CustomStringConvertible {
    /// The clause, a whole sentence.
    public let description: String
    /// Runs the check; throws if the clause is violated.
    public let run: @Sendable (Harness) async throws -> Void

    /// Creates a check.
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
