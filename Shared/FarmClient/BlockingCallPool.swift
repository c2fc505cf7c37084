import Synchronization
import System

/// Runs blocking calls to the server on dedicated threads, a few at a time; the shared pool of tasks must not block.
actor BlockingCallPool {
    private var free = ClientLimits.threads
    private var waiting: [CheckedContinuation<Void, Never>] = []

    /// Runs `body` on a thread of its own, waiting while all threads are busy; returns its result. What `body` holds is
    /// released before: a client that was used by it alone is gone then, and its folder free.
    nonisolated func apart<Result: Sendable>(
        _ body: @escaping @Sendable () throws(FarmClientError) -> Result
    ) async throws(FarmClientError) -> Result {
        await enter()
        let call = BlockingCall(body)
        let result: Swift.Result<Result, FarmClientError> = await withCheckedContinuation { continuation in
            do throws(SystemError) {
                _ = try Worker(name: "farm-client") { continuation.resume(returning: call.run()) }
            } catch {
                continuation.resume(returning: .failure(FarmClientError(.store, "There is no thread left: \(error)")))
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

/// A function that is called once, and released with what it holds before its result is known.
private final class BlockingCall<Result: Sendable>: Sendable {
    private let body: Mutex<(@Sendable () throws(FarmClientError) -> Result)?>

    init(_ body: @escaping @Sendable () throws(FarmClientError) -> Result) { self.body = Mutex(body) }

    func run() -> Swift.Result<Result, FarmClientError> {
        guard let body = body.withLock({ $0.take() }) else { preconditionFailure("a blocking call runs once") }
        return Swift.Result { () throws(FarmClientError) in try body() }
    }
}
