import Crypto
import EventBus
public import EventSourcing
public import EventStore
import Events
public import Vocabulary
public import Wire

/// Drives one service's step function against its journal and tables, with no socket and no clock of its own.
///
/// Inputs are taken one after the other; each sees what the ones before it decided. `commit` makes all of it durable
/// with one sync and only then gives out the effects: commit, then acknowledge, then ring.
public final class ServiceRuntime<S: Service> {
    public let log: any EventLog
    public let tables: any TableStore
    public let folding: Folding<S>
    public private(set) var service: S
    /// Why no new command is taken, while that is so. What was answered before is answered the same; so are queries.
    public var refusal: Problem?
    private var held: [Effect] = []
    private var isStaged = false
    /// Own events that are folded and not flushed.
    private var unflushed = 0
    /// Streams may have events whose turn has come; after a start nobody knows.
    var mayRelease = true
    /// Foreign events are folded and not flushed: to fold them again one would have to ask for them again.
    private var owesForeign = false

    public init(service: S, log: any EventLog, tables: any TableStore) {
        self.service = service
        self.log = log
        self.tables = tables
        folding = Folding(of: log.head.feed, into: tables)
    }

    /// Passes on whether every followed journal is consumed up to its last known head.
    public func update(isUpToDate: Bool) {
        service.update(isUpToDate: isUpToDate)
    }

    /// One thing that came in.
    public func take(_ input: Input, at now: Instant) throws(LogFailure) {
        if case .asked(let ask) = input, let key = key(of: ask) {
            switch try log.recall(key) {
            case .answered(let answer):
                held.append(.reply(ask, answer))
                return
            case .misused:
                let problem = Problem(422, "key-reused", "This Idempotency-Key was used for another request.")
                held.append(.reply(ask, problem.answer))
                return
            case .damaged:
                // No failure: asking again would only be told so again.
                let problem = Problem(
                    409, "answer-damaged", "This was done before; what was answered then is not known any more.")
                held.append(.reply(ask, problem.answer))
                return
            case .unknown:
                if let refusal {
                    held.append(.reply(ask, refusal.answer))
                    return
                }
            }
        }
        let cause = Causation(input)
        for effect in service.step(input, at: now, seeing: tables) { try perform(effect, because: cause, at: now) }
    }

    /// A page of a followed feed, verified by whoever pulled it.
    ///
    /// Its events enter the tables with the intake entry that names them, then the service decides on them; all of it
    /// is one commit. A page without news leaves no trace: the next intake entry begins where the last one ended. Only
    /// after many such pages one is written for them, too, or each start would read them all again.
    public func hear(_ page: Page, at now: Instant) throws(LogFailure) {
        try hear(page, at: now, doubting: { _ in nil })
    }

    /// `doubt` says why an entry is parked although it can be read: for tests of what is parked.
    func hear(_ page: Page, at now: Instant, doubting doubt: @escaping (Entry) -> String?) throws(LogFailure) {
        guard !folding.onlyWitnesses else { return try witness(page, at: now) }
        var rest = page.entries[...]
        while !rest.isEmpty {
            var intakeFilter = IntakeFilter(page.head.feed, folding, doubting: doubt)
            var witnessed: CheckpointWitnessed?
            var taken: [Entry] = []
            while intakeFilter.parked.count < HostLimits.parkedPerIntake, let entry = rest.popFirst() {
                taken.append(entry)
                guard let told = intakeFilter.add(entry) else { continue }
                switch told.fact {
                // The last one covers those before it.
                case .journal(.witnessRequested(let asked)):
                    witnessed = CheckpointWitnessed(entry, of: page.head, asked)
                case .journal(.pruned(let pruned)): try letGo(pruned, told.envelope, of: page.head.feed)
                default: break
                }
            }
            if let witnessed { try append([witnessed.draft(by: S.name)], at: now) }
            try takeIn(Page(head: page.head, entries: taken), intakeFilter, at: now)
        }
    }

    /// All that is done with a page by whoever only witnesses. What cannot be read of it others park, and tell.
    private func witness(_ page: Page, at now: Instant) throws(LogFailure) {
        let marked = folding.checkpoint(of: page.head.feed)?.position ?? 0
        let pace = Position(HostLimits.eventsUnmarked)
        // The last one covers those before it; so whoever is far behind passes most of them over.
        for entry in page.entries.reversed() {
            guard let asked = WitnessRequested(in: entry) else { continue }
            guard entry.position + pace > page.head.position || entry.position >= marked + pace else { return }
            return try append([CheckpointWitnessed(entry, of: page.head, asked).draft(by: S.name)], at: now)
        }
    }

    /// What a mirrored journal has let go its mirror lets go, too, with the commit that takes the news in.
    func letGo(_ pruned: JournalPruned, _ told: Envelope, of feed: String) throws(LogFailure) {
        guard let mirror = log as? any MirrorLog, told.origin.description == feed else { return }
        let positions = pruned.positions.filter { $0 < told.position }
        guard !positions.isEmpty else { return }
        try mirror.prune(feed, positions)
        isStaged = true
    }

    private func takeIn(_ page: Page, _ intakeFilter: IntakeFilter<S>, at now: Instant) throws(LogFailure) {
        guard let last = page.entries.last else { return }
        let feed = page.head.feed
        let from = (folding.checkpoint(of: feed)?.position ?? 0) + 1
        let isLong = last.position + 1 >= from + Position(HostLimits.eventsUnmarked)
        guard !intakeFilter.news.isEmpty || !intakeFilter.parked.isEmpty || isLong else { return }
        let intake = FeedConsumed(
            feed: feed, epoch: page.head.epoch, first: from, last: last.position, hash: Hex.encode(last.hash),
            parked: intakeFilter.parked)
        folding.fold(foreign: intakeFilter.news, parking: page.entries, naming: intake)
        owesForeign = true
        try append([Draft(intake, in: "intake/\(feed)", by: .service(S.name))], at: now)
        if intakeFilter.streams > 0 { held.append(.note(OperatorEvent("events_parked", count: intakeFilter.streams))) }
        try take(.heard(feed: feed, events: intakeFilter.news), at: now)
    }

    /// People accepted that a followed journal goes on from an earlier place; from there it is followed by the caller.
    func accept(_ accepted: FollowAccepted, at now: Instant) throws(LogFailure) {
        try append([Draft(accepted, in: "intake/\(accepted.feed)", by: .service("console"))], at: now)
    }

    /// Everything staged becomes durable; what may leave the house now.
    public func commit() throws(LogFailure) -> [Effect] {
        if isStaged {
            try log.commit()
            isStaged = false
            if !tables.mayLag || owesForeign || unflushed >= HostLimits.eventsUnflushed { try flush() }
        }
        defer { held.removeAll(keepingCapacity: true) }
        return held
    }

    /// Keeps the views as they are after the last commit; nothing may be staged. The host asks for it now and then, and
    /// when it stops: a commit waits for it only where it comes with the journal's own transaction.
    public func flush() throws(LogFailure) {
        guard !isStaged else { return }
        try tables.flush(at: log.head.position)
        unflushed = 0
        owesForeign = false
    }

    /// Keeps the views for the last time, and marks them as whole: the next start need not look through them.
    func close() throws(LogFailure) {
        try flush()
        try tables.close()
    }

    /// Events of the host itself, about the journal.
    public func record(_ drafts: [Draft], at now: Instant) throws(LogFailure) {
        try append(drafts, at: now)
    }

    /// The operator accepted the clock: a new epoch whose recorded times begin at `now`, and the fact that says so, are
    /// durable when this returns. Nothing may be staged.
    func beginEpoch(why: String, trusting trusted: ClockTrusted, at now: Instant) throws(LogFailure) -> [Effect] {
        try log.beginEpoch(why: why, at: now, resettingTime: true)
        try append([Draft(trusted, in: ClockTrusted.stream, at: now, by: .service("console"))], at: now)
        return try commit()
    }

    /// A mirror staged foreign entries by itself, so there is something to commit.
    public func markStaged() {
        isStaged = true
    }

    private func perform(_ effect: Effect, because cause: Causation, at now: Instant) throws(LogFailure) {
        switch effect {
        case .append(let drafts):
            try append(cause.mark(drafts), at: now)
        // What failed here and now may go well a moment later, and what no message holds can never be told: nothing is
        // written, and the key stays free.
        case .settle(let ask, _, let answer) where answer.isFailure || answer.body.count > BusLimits.bodyBytes:
            held.append(.reply(ask, answer))
        case .settle(let ask, let drafts, let answer):
            let settled = key(of: ask).map { (key: $0, answer: answer) }
            let refusal = try stage(Commit(cause.mark(drafts), answer: settled), at: now)
            held.append(.reply(ask, refusal?.problem.answer ?? answer))
        case .reply, .ask, .send, .respond, .subscribe, .publish, .hangUp, .work, .deliver, .prune, .note:
            held.append(effect)
        }
    }

    /// Events that nobody waits for. A refusal here is a mistake of the service, told to operators.
    func append(_ drafts: [Draft], at now: Instant) throws(LogFailure) {
        if let refusal = try stage(Commit(drafts), at: now) {
            held.append(.note(OperatorEvent("appends_refused", labels: ["reason": refusal.problem.code])))
        }
    }

    private func stage(_ commit: Commit, at now: Instant) throws(LogFailure) -> AppendRefusal? {
        let outcome: [Staged]
        do throws(StageError) {
            outcome = try log.stage(commit, at: now)
        } catch {
            switch error {
            case .refused(let refusal): return refusal
            case .failed(let failure): throw failure
            }
        }
        isStaged = true
        for case .written(let entry) in outcome {
            unflushed += 1
            do {
                // What was written is what is folded, here and by everybody later.
                folding.fold(own: try RecordedEvent(reading: entry.bytes))
            } catch {
                // The journal just wrote these bytes: not being able to read them back is a mistake in the code.
                throw LogFailure(operation: "fold", message: "cannot read back \(entry.position): \(error)")
            }
        }
        return nil
    }

    private func key(of ask: Request) -> IdempotencyKey? {
        ask.key.map {
            IdempotencyKey(
                actor: ask.actor.description, key: $0, digest: SHA256.hash(Array(ask.verb.utf8), [0], ask.body))
        }
    }
}

extension AppendRefusal {
    var problem: Problem {
        switch self {
        case .conflict(let stream, let version):
            Problem(409, "changed-meanwhile", "\(stream) is at version \(version) by now; read it again.")
        case .tooLarge(let stream, let bytes):
            Problem(413, "too-large", "What was to be written to \(stream) is too large (\(bytes)).")
        }
    }
}

extension WitnessRequested {
    /// Nil for any other event, and for what is none.
    fileprivate init?(in entry: Entry) {
        do {
            guard case .journal(.witnessRequested(let asked)) = try RecordedEvent(reading: entry.bytes).fact else {
                return nil
            }
            self = asked
        } catch { return nil }
    }
}

extension CheckpointWitnessed {
    /// What a feed's chain is at an entry of it by which it asks.
    init(_ entry: Entry, of head: Head, _ asked: WitnessRequested) {
        self.init(
            feed: head.feed, epoch: head.epoch, position: entry.position, hash: Hex.encode(entry.hash),
            checkpoint: asked.checkpoint)
    }

    /// The same when a page is heard again.
    func draft(by service: String) -> Draft {
        let name = "witness|\(feed)|\(epoch)|\(position)"
        return Draft(self, in: "witness/\(feed)", id: .named(name, in: .furrow), by: .service(service))
    }
}
