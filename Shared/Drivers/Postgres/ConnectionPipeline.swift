import CPostgres

extension Connection {
    /// Sends all statements at once, then reads their results: one round trip (libpq, "Pipeline Mode").
    ///
    /// Without BEGIN and COMMIT they form one transaction. Throws the first error; the statements after it did not run.
    /// If they contain a BEGIN, a ROLLBACK is still needed then.
    public func pipeline(_ statements: [(sql: String, values: [PGValue])]) throws(PostgresError) {
        guard !statements.isEmpty else { return }
        try makeRoom()
        var calls: [(statement: PreparedStatements.Statement, parameters: Parameters)] = []
        calls.reserveCapacity(statements.count)
        var encoded: [Parameters] = []
        for (_, values) in statements { encoded.append(try Parameters(values, operation: "pipeline")) }
        for (call, parameters) in zip(statements, encoded) {
            calls.append((self.statements.statement(for: call.sql, parameters), parameters))
        }
        guard unsafe PQenterPipelineMode(handle) == 1 else {
            for call in calls where !call.statement.isPrepared { self.statements.forget(call.statement) }
            throw lost("pipeline")
        }
        let (steps, unsent) = send(calls)
        let refused = collect(steps)
        _ = unsafe PQexitPipelineMode(handle)
        for call in calls where !call.statement.isPrepared { self.statements.forget(call.statement) }
        if let error = unsent ?? refused { throw error }
    }

    /// The statement to which an expected result belongs.
    private enum Step {
        case prepared(PreparedStatements.Statement)
        case ran(PreparedStatements.Statement)
    }

    private func send(
        _ calls: [(statement: PreparedStatements.Statement, parameters: Parameters)]
    ) -> (steps: [Step], error: PostgresError?) {
        var steps: [Step] = []
        var error: PostgresError?
        var announced: Set<String> = []
        for (statement, parameters) in calls {
            if !statement.isPrepared, announced.insert(statement.name).inserted {
                let count = Int32(statement.types.count)
                guard unsafe PQsendPrepare(handle, statement.name, statement.sql, count, statement.types) == 1 else {
                    error = lost("pipeline")
                    break
                }
                steps.append(.prepared(statement))
            }
            let sent = unsafe parameters.lend { count, values, lengths, formats in
                unsafe PQsendQueryPrepared(handle, statement.name, count, values, lengths, formats, 0)
            }
            guard sent == 1 else {
                error = lost("pipeline")
                break
            }
            steps.append(.ran(statement))
        }
        if unsafe PQpipelineSync(handle) != 1, error == nil { error = lost("pipeline") }
        return (steps, error)
    }

    /// Reads results until the end of the pipeline or of the connection; returns the first error.
    private func collect(_ steps: [Step]) -> PostgresError? {
        var first: PostgresError?
        var index = 0
        var wasNothing = false
        while true {
            let reply = unsafe Reply(PQgetResult(handle))
            if reply.isNothing {
                // One nil result ends a command's results; two in a row mean that no more will arrive.
                if wasNothing { return first ?? lost("pipeline") }
                wasNothing = true
                index += 1
                continue
            }
            wasNothing = false
            if reply.status == PGRES_PIPELINE_SYNC { return first }
            if let error = reply.error("pipeline", fallback: { lastMessage }) {
                if error.isStaleStatement, index < steps.count, case .ran(let statement) = steps[index] {
                    statement.isPrepared = false
                }
                first = first ?? error
            } else if index < steps.count, case .prepared(let statement) = steps[index] {
                statement.isPrepared = true
            }
        }
    }
}
