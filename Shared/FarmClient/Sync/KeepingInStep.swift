import Synchronization

/// Automatic synchronisation.
extension FarmClient {
    /// Synchronises until its task is cancelled.
    ///
    /// It synchronises at once, when the server notifies it, after a pending change or a sign-in, and every 45 seconds.
    /// After a failure it retries, with pauses that grow from one second to a minute.
    ///
    /// - Parameter onEach: called with the result of each synchronisation, such as whether the user has to sign in.
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
                // Random pauses: phones that lose the network together must not all reconnect at once.
                await rest(pause * Double.random(in: 0.5...1))
                pause = min(pause * 2, ClientLimits.longestPause)
            }
        }
    }
}

func rest(_ seconds: Double) async {
    do {
        try await Task.sleep(for: .seconds(seconds))
    } catch {
        // Cancelled: the caller checks for that next.
    }
}

/// Reads the server's notifications and triggers a synchronisation on each, and every 45 seconds.
///
/// It has no reference to the client, which may be released while a thread still reads.
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
                // A server that ends the stream at once is contacted again after a pause.
                await rest(ClientLimits.firstPause)
            } catch {
                // The server may have too many streams, or be unreachable.
                await rest(ClientLimits.quietSeconds)
            }
            occasions.tell()
        }
    }
}
