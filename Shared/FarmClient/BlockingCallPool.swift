import System

/// Runs what waits for a server on threads of their own, a few at a time: the pool of tasks has none to spare.
actor BlockingCallPool {
    private var free = ClientLimits.threads
    private var waiting: [CheckedContinuation<Void, Never>] = []

    nonisolated func apart<Result: Sendable>(
        _ body: @escaping @Sendable () throws(FarmClientError) -> Result
    ) async throws(FarmClientError) -> Result {
        await enter()
        let result: Swift.Result<Result, FarmClientError> = await withCheckedContinuation { continuation in
            do throws(SystemError) {
                _ = try Worker(name: "farm-client") {
                    continuation.resume(returning: Swift.Result { () throws(FarmClientError) in try body() })
                }
            } catch {
                continuation.resume(returning: .failure(FarmClientError(.store, "The system gave no thread: \(error)")))
            }
        }
        await leave()
        return try result.get()
    }

    private func enter() async {
        if free > 0 {
            free -= 1
        } else {
            await withCheckedContinuation { waiting.append($0) }
        }
    }

    private func leave() {
        if waiting.isEmpty {
            free += 1
        } else {
            waiting.removeFirst().resume()
        }
    }
}
