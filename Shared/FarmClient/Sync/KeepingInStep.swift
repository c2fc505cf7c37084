import Synchronization

/// Stays in step by itself.
extension FarmClient {
    /// Keeps in step until its task is cancelled: at once, whenever the server says that there is something new, and
    /// every 45 seconds. Where nobody answers it asks again, after pauses that grow from one second to a minute.
    public func keepInStep() async {
        var pause = ClientLimits.firstPause
        while !Task.isCancelled {
            do throws(FarmClientError) {
                try await sync()
                pause = ClientLimits.firstPause
                await waitForNews()
            } catch {
                // Many phones lose one network at one time; they do not all come back at one.
                await rest(pause * Double.random(in: 0.5...1))
                pause = min(pause * 2, ClientLimits.longestPause)
            }
        }
    }

    /// Strangers have no stream; and the server may have no place for one more listener.
    private func waitForNews() async {
        do throws(FarmClientError) {
            guard let token = try token() else { return await rest(ClientLimits.quietSeconds) }
            try await listen(token)
        } catch {
            await rest(ClientLimits.quietSeconds)
        }
    }

    /// Until there is something new, or 45 seconds have passed, or the task is cancelled; the thread that listens then
    /// ends by itself.
    private func listen(_ token: String) async throws(FarmClientError) {
        let (ends, end) = AsyncStream<Result<Void, FarmClientError>>.makeStream()
        let listening = Task { [server] in
            do throws(FarmClientError) {
                try await apart { () throws(FarmClientError) in
                    try server.listen(token: token, seconds: ClientLimits.quietSeconds)
                }
                end.yield(.success(()))
            } catch {
                end.yield(.failure(error))
            }
            end.finish()
        }
        defer { listening.cancel() }
        for await result in ends { try result.get() }
    }

    private func rest(_ seconds: Double) async {
        do {
            try await Task.sleep(for: .seconds(seconds))
        } catch {
            // Cancelled: whoever rests looks for that next.
        }
    }
}
