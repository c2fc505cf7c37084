import Crypto
import EventBus
import EventSourcing
import EventStore
import Events
import HTTP
import System
import Telemetry
import Vocabulary
import Wire

/// The reading half of a round: from sockets and mailboxes into the runtime.
extension EventLoop {
    /// Starts the subscriptions at their recorded checkpoints.
    func follow() throws {
        switch configuration.listening {
        case .hub: try subscriber?.follow("hub", after: runtime.folding.checkpoint(of: "hub"))
        case .origins:
            guard let mirror = runtime.log as? any MirrorLog else { return }
            let heads = Dictionary(mirror.feeds().map { ($0.feed, $0) }, uniquingKeysWith: { $1 })
            subscriber?.followAll { feed in
                heads[feed].map { Checkpoint(epoch: $0.epoch, position: $0.position, hash: $0.hash) }
            }
        case .nothing: break
        }
    }

    func readMailbox(at now: Instant) throws {
        for message in mailbox.drain() {
            switch message {
            case .stop: isStopping = true
            case .finished(let token, let result):
                try runtime.take(.finished(token: token, result: result), at: now)
            case .queried(let id, let answer): sendResponse(id, answer)
            case .unsent(let token):
                try runtime.take(.answered(token: token, outcome: .unknown), at: now)
            case .sealed(let made): try finish(made, at: now)
            case .pruned(let made): try finish(made, at: now)
            case .web(let exchange) where runtime.refusal != nil && !configuration.isRead(exchange.request):
                if let refusal = runtime.refusal {
                    exchange.respond(
                        HTTPResponse(status: refusal.status, type: "application/problem+json", body: refusal.body))
                }
            case .web(let exchange):
                guard !isStopping, exchanges.count < HostLimits.openRequests else {
                    let problem = Problem(503, "busy", "The server is stopping or has too much to do; try again.")
                    exchange.respond(
                        HTTPResponse(status: 503, type: "application/problem+json", body: problem.body))
                    continue
                }
                let id = takeID()
                exchanges[id] = exchange
                let request = WebRequest(id: id, request: exchange.request, entropy: Random.bytes(32))
                try runtime.take(.requested(request), at: now)
            }
        }
    }

    /// Records a finished segment, and hands its run over to the segment files, in one commit.
    private func finish(_ made: Result<SealedRun, LogFailure>, at now: Instant) throws {
        sealing.ended(made, at: Clock.monotonicMicroseconds())
        switch made {
        case .success(let run):
            try runtime.record(run.drafts, at: now)
            try (runtime.log as? any SealingLog)?.hand(over: run)
            health.set("seals", .ok)
            health.count(OperatorEvent("segments_sealed"))
        case .failure(let failure):
            log.error("sealing failed", ["reason": "\(failure)"])
            health.set("seals", .degraded("a part of the journal could not be sealed: \(failure)"))
        }
    }

    /// Records that old reports were pruned, in the commit from which on they cannot be read.
    private func finish(_ made: Result<PrunedRun, LogFailure>, at now: Instant) throws {
        sealing.ended()
        switch made {
        case .success(let run):
            try runtime.record(run.drafts, at: now)
            try (runtime.log as? any SealingLog)?.prune(run)
            health.set("retention", .ok)
            health.count(OperatorEvent("events_let_go", count: run.count))
        case .failure(let failure):
            log.error("pruning failed", ["reason": "\(failure)"])
            health.set("retention", .degraded("old reports could not be let go: \(failure)"))
        }
    }

    func readRequests(at now: Instant) throws {
        guard !isStopping else { return }
        for ask in try requestServer.receive(limit: HostLimits.requestsPerRound) {
            if let accessRefusal = AccessPolicy.accessRefusal(to: ask, of: S.allowedVerbs) {
                refuse(ask, accessRefusal)
                continue
            }
            if let verb = HostVerb(verb: ask.verb) {
                hostRequests.append((ask, verb))
                continue
            }
            let id = takeID()
            openRequests[id] = ask
            let input = Request(
                id: id, verb: ask.verb, body: ask.body, actor: ask.actor, key: ask.key, entropy: ask.entropy,
                trace: ask.trace, known: ask.known)
            // A request with an idempotency key may have a stored response, so the runtime takes it.
            if let queries, input.key == nil, queries.verbs.contains(input.verb) {
                pendingQueries.append(input)
                continue
            }
            try runtime.take(.asked(input), at: now)
        }
    }

    func readClients(at now: Instant, _ monotonic: Int64) throws {
        for (name, requestClient) in requestClients {
            for (request, outcome) in try requestClient.receive(at: monotonic) {
                guard let token = tokens[name]?.removeValue(forKey: request) else { continue }
                let reported: RequestOutcome =
                    switch outcome {
                    case .answer(let answer): .answer(answer)
                    case .unknown: .unknown
                    }
                try runtime.take(.answered(token: token, outcome: reported), at: now)
            }
        }
    }

    /// Whether every followed journal is consumed up to its last known head.
    var isUpToDate: Bool {
        guard let subscriber else { return true }
        let statuses = subscriber.subscribed.compactMap(subscriber.status)
        return !statuses.isEmpty && waiting.isEmpty && haltedFeeds.isEmpty
            && statuses.allSatisfy { $0.behind == 0 && $0.isConnected && !$0.isStopped }
    }

    func readFeeds(at now: Instant, _ monotonic: Int64) throws {
        guard let subscriber else { return }
        let updates = waiting + (try subscriber.receive(at: monotonic))
        // A full disk takes nothing. Few pages wait, because no more are requested until these are taken.
        waiting = disk.level == .full ? updates : []
        for one in updates where disk.level != .full {
            switch one {
            case .page(let page):
                // No more pages are requested of a feed whose pages are not taken.
                guard !haltedFeeds.contains(page.head.feed) else { continue }
                guard !fullFeeds.contains(page.head.feed) else {
                    waiting.append(one)
                    continue
                }
                let fittingPart = try consume(page, at: now)
                if let last = fittingPart.entries.last {
                    consumed.append((page.head.feed, last.position))
                    read[page.head.feed] = last.position
                }
            case .reached(let feed, _) where haltedFeeds.contains(feed) || fullFeeds.contains(feed): break
            case .reached(let feed, let head):
                health.set("feed:\(feed)", .ok)
                read[feed] = head.position
            case .stopped(let feed, let reason):
                log.error("feed stopped", ["feed": feed, "reason": "\(reason)"])
                health.set("feed:\(feed)", .degraded("nothing more of it is read: \(reason.sentence)"))
            }
        }
    }

    /// Consumes as much of a page as this build can read and the limit of parked streams allows. Returns that part.
    private func consume(_ page: Page, at now: Instant) throws -> Page {
        let (known, newer) = page.untilNewer
        let fittingPart = runtime.fittingPart(known)
        if fittingPart.entries.count < known.entries.count {
            pause(Page(head: page.head, entries: Array(page.entries.dropFirst(fittingPart.entries.count))))
        } else if let newer {
            halt(page.head.feed, newer)
        }
        if !fittingPart.entries.isEmpty { try mirrorAndConsume(fittingPart, at: now) }
        return fittingPart
    }

    /// Stores the rest of a page until operators have resolved parked events; no page is requested meanwhile.
    private func pause(_ rest: Page) {
        let reason =
            "\(HostLimits.parkedStreams) events of it could not be used; retry or skip some: furrow parked list"
        fullFeeds.insert(rest.head.feed)
        waiting.append(.page(rest))
        log.error("feed stopped", ["feed": rest.head.feed, "reason": reason])
        health.set("feed:\(rest.head.feed)", .degraded("nothing more of it is read: \(reason)"))
    }

    /// Accepts pages again after parked events were resolved.
    func resumeFullFeeds() {
        for feed in fullFeeds { health.set("feed:\(feed)", .ok) }
        fullFeeds.removeAll()
    }

    /// Stops reading a feed until this build is updated, because skipping an event that it cannot read would be a
    /// guess.
    private func halt(_ feed: String, _ newer: NewerVersion) {
        let reason =
            "\(newer.name) was written by a newer Furrow (this one knows version \(newer.known)): update this one"
        haltedFeeds.insert(feed)
        log.error("feed halted", ["feed": feed, "reason": reason])
        health.set("feed:\(feed)", .degraded("nothing more of it is read: \(reason)"))
    }

    /// Tries to reopen sources that are closed.
    func reopenSources() throws {
        for source in configuration.sources where source.descriptor == nil {
            if source.reopen() {
                try runtime.take(.opened(source: source.name), at: clock.now())
            } else {
                runtime.update(closed: source.name, why: source.problem)
            }
        }
    }

    /// Reads the bytes of sources. While the disk is full they stay in the device, which drops what it cannot buffer.
    func readSources() throws {
        guard disk.level != .full else { return }
        for source in configuration.sources where source.descriptor != nil {
            let bytes = source.read()
            // The time is taken after the bytes were read, so that no event is recorded with a time before it was sent.
            if !bytes.isEmpty { try runtime.take(.received(source: source.name, bytes: bytes), at: clock.now()) }
        }
    }

    /// Refuses new commands while the disk is low, and reports it as a degraded check.
    func checkDisk() throws {
        try disk.measure()
        runtime.refusal = disk.refusal
        switch disk.level {
        case .enough: health.set("disk", .ok)
        case .low: health.set("disk", .degraded("commands are refused: \(disk.words)"))
        case .full: health.set("disk", .degraded("nothing more is recorded: \(disk.words)"))
        }
    }

    /// Consumes a page; on the hub, mirrors it first.
    private func mirrorAndConsume(_ page: Page, at now: Instant) throws {
        if let mirror = runtime.log as? any MirrorLog {
            do {
                try mirror.take(page)
            } catch .failed(let failure) {
                throw failure
            } catch {
                log.error("page refused", ["feed": page.head.feed, "reason": "\(error)"])
                health.set("feed:\(page.head.feed)", .degraded("\(error)"))
                return
            }
            runtime.markStaged()
        }
        try runtime.consume(page, at: now)
    }

    func takeID() -> UInt64 {
        defer { nextID += 1 }
        return nextID
    }
}

extension StopReason {
    /// The reason in words for operators, who may have restored a journal from a copy.
    var sentence: String {
        switch self {
        case .unknownEpoch(let head): "it began anew and ends at \(head.position)"
        case .beyondHead(let head): "it ends at \(head.position), before what was read of it"
        case .diverged(let position): "from \(position) on it is not what was read of it"
        case .hole(let position): "the entry at \(position) is missing"
        }
    }
}
