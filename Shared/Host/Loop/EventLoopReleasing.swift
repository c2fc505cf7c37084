import Crypto
import EventBus
import EventSourcing
import EventStore
import HTTP
import JSON
import System
import Telemetry
import Vocabulary
import Wire

/// The releasing half of a round: performs the effects whose events are on the disk.
extension EventLoop {
    func release(_ effect: Effect, _ monotonic: Int64) {
        switch effect {
        case .append, .settle: break  // The runtime has performed them.
        case .reply(let ask, let answer): reply(ask, answer)
        case .ask(let outgoing): send(outgoing)
        case .send(let source, let bytes): configuration.sources.first { $0.name == source }?.write(bytes)
        case .close(let source, let why): configuration.sources.first { $0.name == source }?.close(why: why)
        case .respond(let request, let response): respond(request, response)
        case .beginBody(let request, let head, let token): beginBody(of: request, head, token)
        case .continueBody(let request, let piece, let token): continueBody(of: request, piece, token)
        case .subscribe(let request, let place, let topics, let head):
            subscribe(request, place, topics, head, monotonic)
        case .publish(let topic, let name, let data): streams.publish(topic, name: name, data: data)
        case .hangUp(let topic): streams.close(topic)
        case .work(let token, let job):
            if !workers.work(token, job) { _ = mailbox.push(.finished(token: token, result: [])) }
        case .deliver(let token, let recipient, let job):
            if !workers.deliver(token, to: recipient, job) { _ = mailbox.push(.finished(token: token, result: [])) }
        case .prune(let pruning): sealing.prune(pruning)
        case .note(let note):
            health.count(note)
            if !note.logged.isEmpty {
                log.notice("access", note.logged.merging(note.labels) { $1 }.merging(["about": note.name]) { $1 })
            }
        }
    }

    private func reply(_ ask: Request, _ answer: Response) {
        sendResponse(ask.id, answer)
    }

    /// Passes queries to the thread that reads the tables, which sees them as of the commit of this round.
    func passOnQueries(at now: Instant) throws {
        guard let queries, !pendingQueries.isEmpty else { return }
        try progress.during(.syncing) { try runtime.flush() }
        for ask in pendingQueries where !queries.start(ask, at: now) {
            health.count(OperatorEvent("queries_refused"))
            sendResponse(ask.id, Problem(503, "busy", "Too many queries wait; try again in a second.").answer)
        }
        pendingQueries.removeAll()
    }

    /// Sends the last responses of the query thread after it has ended.
    func sendLastResponses() {
        for case .queried(let id, let answer) in mailbox.drain() { sendResponse(id, answer) }
    }

    func sendResponse(_ id: UInt64, _ answer: Response) {
        guard let waiting = openRequests.removeValue(forKey: id) else { return }
        sendResponse(waiting, answer)
    }

    func sendResponse(_ ask: IncomingRequest, _ answer: Response) {
        do {
            try requestServer.answer(ask, answer)
        } catch .outOfBounds(_, let bytes, let limit) {
            log.error("response too large", ["verb": ask.verb, "bytes": "\(bytes)", "limit": "\(limit)"])
        } catch {
            // The caller is gone; a repeated request receives the stored response.
            log.info("response undeliverable", ["verb": ask.verb, "reason": "\(error)"])
        }
    }

    /// Refuses a request that the caller may not make, and logs and counts it for operators.
    func refuse(_ ask: IncomingRequest, _ problem: Problem) {
        log.warning("request refused", ["by": ask.user ?? "", "verb": ask.verb, "reason": problem.code])
        health.count(OperatorEvent("asks_refused", labels: ["by": ask.user ?? "", "reason": problem.code]))
        sendResponse(ask, problem.answer)
    }

    private func send(_ outgoing: OutgoingRequest) {
        do {
            let isCallee = configuration.reverseServers.contains(Origin(outgoing.to)?.service ?? outgoing.to)
            let name = isCallee ? Self.dialledIn : outgoing.to
            let requestClient = try requestClient(for: name)
            let request = try requestClient.ask(
                isCallee ? outgoing.to : "", verb: outgoing.verb, body: outgoing.body, actor: outgoing.actor,
                key: outgoing.key,
                entropy: Random.bytes(16), trace: outgoing.trace, known: outgoing.known,
                seconds: outgoing.seconds,
                at: Clock.monotonicMicroseconds())
            tokens[name, default: [:]][request] = outgoing.token
        } catch {
            log.warning("request not sent", ["to": outgoing.to, "verb": outgoing.verb, "reason": "\(error)"])
            _ = mailbox.push(.unsent(token: outgoing.token))
        }
    }

    private func requestClient(for name: String) throws -> RequestClient {
        if let requestClient = requestClients[name] { return requestClient }
        let origin = Origin(name)
        let requestClient = try endpoints.requestClient(of: origin?.service ?? name, slot: origin?.slot ?? 0)
        store(requestClient, as: name)
        return requestClient
    }

    func store(_ requestClient: RequestClient, as name: String) {
        requestClients[name] = requestClient
        unpolled.append(requestClient)
    }

    /// The key, among the request clients, of the client whose servers dial in.
    static var dialledIn: String { "" }

    private func respond(_ request: WebRequest, _ response: HTTPResponse) {
        exchanges.removeValue(forKey: request.id)?.respond(response)
    }

    private func beginBody(of request: WebRequest, _ head: HTTPResponse, _ token: UInt64) {
        guard let exchange = exchanges.removeValue(forKey: request.id) else { return report(nil, token) }
        let stream = exchange.stream(head)
        bodies[request.id] = stream
        report(stream, token)
    }

    private func continueBody(of request: WebRequest, _ piece: BodyPiece, _ token: UInt64) {
        guard let stream = bodies[request.id] else { return report(nil, token) }
        switch piece {
        case .more(let bytes):
            if stream.send(bytes) { return report(stream, token) }
            stream.abort()
            bodies[request.id] = nil
            report(nil, token)
        case .last(let bytes):
            if stream.send(bytes) { stream.close() } else { stream.abort() }
            bodies[request.id] = nil
        case .missing:
            stream.abort()
            bodies[request.id] = nil
        }
    }

    /// Passes `finished` to the service once the stream has sent what is queued; nil for one that has ended.
    private func report(_ stream: HTTPStream?, _ token: UInt64) {
        guard let stream else {
            _ = mailbox.push(.finished(token: token, result: []))
            return
        }
        stream.whenSent { [mailbox, weak stream] in
            _ = mailbox.push(.finished(token: token, result: stream?.isOpen == true ? [1] : []))
        }
    }

    private func subscribe(
        _ request: WebRequest, _ place: StreamPlace, _ topics: [String], _ head: HTTPResponse, _ monotonic: Int64
    ) {
        guard let exchange = exchanges.removeValue(forKey: request.id) else { return }
        switch streams.makePlace(place) {
        case nil: streams.add(exchange.stream(head), at: place, topics: topics, at: monotonic)
        case .audienceFull:
            refuse(exchange, Problem(503, "busy", "Too many live views are open; try again in a minute."))
        case .holderFull:
            refuse(
                exchange,
                Problem(
                    429, "too-many-streams",
                    "\(place.holderMax) live views of this address are open; close one, or try again in a minute."))
        }
    }

    private func refuse(_ exchange: HTTPExchange, _ problem: Problem) {
        health.count(OperatorEvent("live_streams_refused", labels: ["reason": problem.code]))
        var response = HTTPResponse(status: problem.status, type: "application/problem+json", body: problem.body)
        response.headers["Retry-After"] = "60"
        exchange.respond(response)
    }
}
