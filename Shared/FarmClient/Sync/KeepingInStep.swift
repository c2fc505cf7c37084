import Synchronization

/// Stays in step by itself.
extension FarmClient {
    /// Keeps in step until its task is cancelled: at once, whenever the server says that there is something new, when
    /// something is promised or somebody signs in, and every 45 seconds. Where nobody answers it asks again, after
    /// pauses that grow from one second to a minute.
    ///
    /// - Parameter onEach: told what came of each time: who has to sign in, and what there is to do for people.
    public func keepInStep(
        onEach: @Sendable (Result<Synced, FarmClientError>) -> Void = { _ in }
    ) async {
        let reasons = occasions.stream()
        let ear = ChangeStream(server: server, calls: calls, occasions: occasions) {
            [weak self] () throws(FarmClientError) in
            try self?.session().token
        }
        let listening = Task { await ear.listen() }
        defer {
            listening.cancel()
            ear.close()
        }
        var next = reasons.makeAsyncIterator()
        var pause = ClientLimits.firstPause
        while !Task.isCancelled {
            do throws(FarmClientError) {
                onEach(.success(try await sync()))
                pause = ClientLimits.firstPause
                _ = await next.next()
            } catch {
                onEach(.failure(error))
                // Many phones lose one network at one time; they do not all come back at one.
                await rest(pause * Double.random(in: 0.5...1))
                pause = min(pause * 2, ClientLimits.longestPause)
            }
        }
    }
}

private func rest(_ seconds: Double) async {
    do {
        try await Task.sleep(for: .seconds(seconds))
    } catch {
        // Cancelled: whoever rests looks for that next.
    }
}

/// Listens to the server, and tells whenever it says that there is something new, and every 45 seconds. It knows
/// nothing of the client, which may go while a thread still listens.
private final class ChangeStream: Sendable {
    private let server: Server
    private let calls: BlockingCallPool
    private let occasions: Listeners
    private let token: @Sendable () throws(FarmClientError) -> String?
    private let isClosed = Atomic(false)

    init(
        server: Server, calls: BlockingCallPool, occasions: Listeners,
        token: @escaping @Sendable () throws(FarmClientError) -> String?
    ) {
        self.server = server
        self.calls = calls
        self.occasions = occasions
        self.token = token
    }

    func close() { isClosed.store(true, ordering: .relaxed) }

    func listen() async {
        while !Task.isCancelled {
            do throws(FarmClientError) {
                guard let token = try token() else { throw FarmClientError(.signInNeeded, "Strangers have no stream.") }
                try await calls.apart { () throws(FarmClientError) in
                    try self.server.listen(token: token, seconds: ClientLimits.quietSeconds) { line in
                        if line == "event: changed" { self.occasions.tell() }
                        return !self.isClosed.load(ordering: .relaxed)
                    }
                }
                // A server that ends the stream at once is not asked again at once.
                await rest(ClientLimits.firstPause)
            } catch {
                // The server may have no place for one more listener, or nobody may be there.
                await rest(ClientLimits.quietSeconds)
            }
            occasions.tell()
        }
    }
}
