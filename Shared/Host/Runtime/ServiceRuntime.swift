import Crypto
import EventBus
public import EventSourcing
public import EventStore
import Events
public import Vocabulary
public import Wire

/// Drives one service's step function against its journal and tables, without a socket or a clock.
///
/// Inputs are taken one after the other; each sees the decisions on those before it. `commit` makes all of them durable
/// with one sync and only then returns the effects: commit, then acknowledge, then send head notifications.
///
/// ```
/// try runtime.take(.ticked(wall: now), at: now)
/// for effect in try runtime.commit() { perform(effect) }
/// ```
public final class ServiceRuntime<S: Service> {
    /// The service's own journal.
    public let log: any EventLog
    /// The service's read model.
    public let tables: any TableStore
    /// Projects recorded events into `tables`.
    public let folding: Folding<S>
    /// The step function with its state.
    public private(set) var service: S
    /// The refusal of new commands while they cannot be recorded; nil otherwise. Stored responses and queries are still
    /// served.
    public var refusal: Problem?
    /// The position up to which the hub has this journal; nil if that is not followed.
    public var mirrored: Position?
    private var pendingEffects: [Effect] = []
    private var acknowledgements: [(position: Position, effect: Effect)] = []
    private var isStaged = false
    /// The time of the last input or event; nil before the first one.
    private var latest: Instant?
    /// Whether the consequences of the present tables are in the journal. False after a start: another version of the
    /// service may not have recorded all of them.
    private var isConcluded = false
    /// What caused the events that are staged; of more than one cause the first two.
    private var causes: [Causation] = []
    /// The number of own events that are projected but not flushed.
    private var unflushed = 0
    /// Whether blocked streams may have events that can be applied now. True after a start, because it is not stored.
    var mayHaveReleasable = true
    /// Whether foreign events are projected but not flushed. After a crash they would have to be requested again.
    private var hasUnflushedForeignEvents = false

    /// Creates a runtime; `tables` must be projected up to the head of `log`.
    public init(service: S, log: any EventLog, tables: any TableStore) {
        self.service = service
        self.log = log
        self.tables = tables
        folding = Folding(of: log.head.feed, into: tables)
    }

    /// Passes on to the service whether every followed journal is consumed up to its last known head.
    public func update(isUpToDate: Bool) {
        service.update(isUpToDate: isUpToDate)
    }

    /// Passes on to the service that a source is not open, and why if that is known.
    public func update(closed source: String, why: String?) {
        service.update(closed: source, why: why)
    }

    /// Takes one input. The effects are returned by the next `commit`; throws if the journal fails.
    ///
    /// Where the mirror is followed, the acknowledgements of what the input has appended are returned by
    /// `takeAcknowledgements`.
    public func take(_ input: Input, at now: Instant) throws(LogFailure) {
        latest = now
        guard mirrored != nil else { return try decide(on: input, at: now) }
        let (head, first) = (log.head.position, pendingEffects.count)
        try decide(on: input, at: now)
        guard log.head.position > head else { return }
        let made = pendingEffects[first...]
        pendingEffects.removeSubrange(first...)
        for effect in made {
            if effect.isAcknowledgement {
                acknowledgements.append((log.head.position, effect))
            } else {
                pendingEffects.append(effect)
            }
        }
    }

    /// Returns the acknowledgements since the last call, each with the position that the mirror has to have for it.
    func takeAcknowledgements() -> [(position: Position, effect: Effect)] {
        defer { acknowledgements.removeAll() }
        return acknowledgements
    }

    private func decide(on input: Input, at now: Instant) throws(LogFailure) {
        if case .asked(let ask) = input, let key = key(of: ask) {
            switch try log.recall(key) {
            case .answered(let answer):
                if mirrored != nil {
                    acknowledgements.append((log.head.position, .reply(ask, answer)))
                } else {
                    pendingEffects.append(.reply(ask, answer))
                }
                return
            case .misused:
                let problem = Problem(422, "key-reused", "This Idempotency-Key was used for another request.")
                pendingEffects.append(.reply(ask, problem.answer))
                return
            case .damaged:
                // Not a 5xx status, because a retry would receive the same response.
                let problem = Problem(
                    409, "answer-damaged", "This was done before; what was answered then is not known any more.")
                pendingEffects.append(.reply(ask, problem.answer))
                return
            case .unknown:
                if let refusal {
                    pendingEffects.append(.reply(ask, refusal.answer))
                    return
                }
            }
        }
        let (cause, before) = (Causation(input), log.head.position)
        for effect in service.step(input, at: now, seeing: tables) { try perform(effect, because: cause, at: now) }
        if log.head.position > before, causes.count < 2 { causes.append(cause) }
    }

    /// Consumes a verified page of a followed feed. Throws if the journal fails.
    ///
    /// The page's events are projected with the checkpoint event that names them, then the service decides on them; all
    /// of it is one commit. A page without events for this service writes nothing: the next checkpoint event begins
    /// where the last one ended. After many such pages a checkpoint event is written nevertheless, because each start
    /// would read them all again.
    public func consume(_ page: Page, at now: Instant) throws(LogFailure) {
        try consume(page, at: now, parkingWhere: { _ in nil })
    }

    /// Tests use `parkReason` to park readable entries: it returns the reason to park an entry, or nil.
    func consume(_ page: Page, at now: Instant, parkingWhere parkReason: @escaping (Entry) -> String?)
        throws(LogFailure)
    {
        if mirrored != nil { noteMirrored(page) }
        guard !folding.onlyWitnesses else { return try witness(page, at: now) }
        var rest = page.entries[...]
        while !rest.isEmpty {
            var intakeFilter = IntakeFilter(page.head.feed, folding, parkingWhere: parkReason)
            var witnessed: CheckpointWitnessed?
            var taken: [Entry] = []
            while intakeFilter.parked.count < HostLimits.parkedPerIntake, let entry = rest.popFirst() {
                taken.append(entry)
                guard let recorded = intakeFilter.add(entry) else { continue }
                switch recorded.fact {
                // The last request covers those before it.
                case .journal(.witnessRequested(let asked)):
                    witnessed = CheckpointWitnessed(entry, of: page.head, asked)
                case .journal(.journalPruned(let pruned)):
                    try pruneMirror(pruned, recorded.envelope, of: page.head.feed)
                default: break
                }
            }
            if let witnessed { try append([witnessed.draft(by: S.name)], at: now) }
            try commitPage(Page(head: page.head, entries: taken), intakeFilter, at: now)
        }
    }

    /// Notes the newest own event in a page of the hub.
    private func noteMirrored(_ page: Page) {
        for entry in page.entries.reversed() where !entry.isPruned {
            guard let envelope = Self.envelope(of: entry), envelope.origin.description == log.head.feed else {
                continue
            }
            mirrored = max(mirrored ?? 0, envelope.position)
            return
        }
    }

    private static func envelope(of entry: Entry) -> Envelope? {
        do {
            return try EnvelopeCodec.read(entry.bytes).envelope
        } catch {
            return nil
        }
    }

    /// Consumes a page of an origin that only witnesses. Unreadable entries are skipped; other subscribers park and
    /// report them.
    private func witness(_ page: Page, at now: Instant) throws(LogFailure) {
        let marked = folding.checkpoint(of: page.head.feed)?.position ?? 0
        let pace = Position(HostLimits.eventsUnmarked)
        // The last request covers those before it, so a subscriber that is far behind skips most of them.
        for entry in page.entries.reversed() {
            guard let asked = WitnessRequested(in: entry) else { continue }
            guard entry.position + pace > page.head.position || entry.position >= marked + pace else { return }
            return try append([CheckpointWitnessed(entry, of: page.head, asked).draft(by: S.name)], at: now)
        }
    }

    /// Prunes from the mirror what the mirrored journal has pruned, in the commit that consumes `JournalPruned`.
    func pruneMirror(_ pruned: JournalPruned, _ recorded: Envelope, of feed: String) throws(LogFailure) {
        guard let mirror = log as? any MirrorLog, recorded.origin.description == feed else { return }
        let positions = pruned.positions.filter { $0 < recorded.position }
        guard !positions.isEmpty else { return }
        try mirror.prune(feed, positions)
        isStaged = true
    }

    private func commitPage(_ page: Page, _ intakeFilter: IntakeFilter<S>, at now: Instant) throws(LogFailure) {
        guard let last = page.entries.last else { return }
        let feed = page.head.feed
        let from = (folding.checkpoint(of: feed)?.position ?? 0) + 1
        let isLong = last.position + 1 >= from + Position(HostLimits.eventsUnmarked)
        guard !intakeFilter.projected.isEmpty || !intakeFilter.parked.isEmpty || isLong else { return }
        let checkpointEvent = FeedConsumed(
            feed: feed, epoch: page.head.epoch, first: from, last: last.position, hash: Hex.encode(last.hash),
            parked: intakeFilter.parked)
        folding.fold(foreign: intakeFilter.projected, parking: page.entries, naming: checkpointEvent)
        hasUnflushedForeignEvents = true
        try append([Draft(checkpointEvent, in: "intake/\(feed)", by: .service(S.name))], at: now)
        if intakeFilter.streams > 0 {
            pendingEffects.append(.note(OperatorEvent("events_parked", count: intakeFilter.streams)))
        }
        try take(.heard(feed: feed, events: intakeFilter.projected), at: now)
    }

    /// Records that the operator accepted an earlier position of a followed journal. The caller resumes the
    /// subscription there.
    func accept(_ accepted: FollowAccepted, at now: Instant) throws(LogFailure) {
        try append([Draft(accepted, in: "intake/\(accepted.feed)", by: .service("console"))], at: now)
    }

    /// Commits everything that is staged and returns the effects that may be performed now. Throws if the storage
    /// fails.
    public func commit() throws(LogFailure) -> [Effect] {
        if isStaged || !isConcluded { try conclude() }
        causes.removeAll()
        if isStaged {
            try log.commit()
            isStaged = false
            if !tables.mayLag || hasUnflushedForeignEvents || unflushed >= HostLimits.eventsUnflushed { try flush() }
        }
        defer { pendingEffects.removeAll(keepingCapacity: true) }
        return pendingEffects
    }

    /// Appends what follows from the tables; what several inputs caused together names no cause. A refusal is counted
    /// for operators, and the next commit tries again.
    private func conclude() throws(LogFailure) {
        guard let latest, isStaged || refusal == nil else { return }
        isConcluded = false
        while true {
            let drafts = service.consequences(seeing: tables)
            guard !drafts.isEmpty else { break }
            let before = log.head.position
            try append(causes.count == 1 ? causes[0].mark(drafts) : drafts, at: latest)
            guard log.head.position > before else { return }
        }
        isConcluded = true
    }

    /// Flushes the views as of the last commit; does nothing if events are staged. Throws if the storage fails. The
    /// host calls it from time to time and at the end. A commit flushes only tables that share the journal's
    /// transaction, and after many events.
    public func flush() throws(LogFailure) {
        guard !isStaged else { return }
        try tables.flush(at: log.head.position)
        unflushed = 0
        hasUnflushedForeignEvents = false
    }

    /// Flushes the views at the end of the run and marks them as complete, so that the next start need not check them.
    func close() throws(LogFailure) {
        try flush()
        try tables.close()
    }

    /// Appends events of the host itself, about the journal.
    public func record(_ drafts: [Draft], at now: Instant) throws(LogFailure) {
        try append(drafts, at: now)
    }

    /// Begins a new epoch after the operator accepted the clock; recorded times begin at `now`. The epoch and its
    /// `ClockTrusted` event are durable when this returns. Requires that nothing is staged.
    func beginEpoch(why: String, trusting trusted: ClockTrusted, at now: Instant) throws(LogFailure) -> [Effect] {
        try log.beginEpoch(why: why, at: now, resettingTime: true)
        try append([Draft(trusted, in: ClockTrusted.stream, at: now, by: .service("console"))], at: now)
        return try commit()
    }

    /// Declares that the mirror staged foreign entries, so that the next `commit` commits them.
    public func markStaged() {
        isStaged = true
    }

    private func perform(_ effect: Effect, because cause: Causation, at now: Instant) throws(LogFailure) {
        switch effect {
        case .append(let drafts):
            try append(cause.mark(drafts), at: now)
        // A failure may be temporary, and a response above the message limit can never be sent. So nothing is written
        // and the key stays free.
        case .settle(let ask, _, let answer) where answer.isFailure || answer.body.count > BusLimits.bodyBytes:
            pendingEffects.append(.reply(ask, answer))
        case .settle(let ask, let drafts, let answer):
            let settled = key(of: ask).map { (key: $0, answer: answer) }
            let refusal = try stage(Commit(cause.mark(drafts), answer: settled), at: now)
            pendingEffects.append(.reply(ask, refusal?.problem.answer ?? answer))
        case .reply, .ask, .send, .close, .respond, .beginBody, .continueBody, .subscribe, .publish, .hangUp, .work,
            .deliver, .prune, .note:
            pendingEffects.append(effect)
        }
    }

    /// Appends events without a response. A refusal is a defect of the service and is counted for operators. If an
    /// event is too large, only that one is left out.
    func append(_ drafts: [Draft], at now: Instant) throws(LogFailure) {
        guard let refusal = try stage(Commit(drafts), at: now) else { return }
        if case .tooLarge = refusal, drafts.count > 1 {
            for draft in drafts { try append([draft], at: now) }
        } else {
            pendingEffects.append(.note(OperatorEvent("appends_refused", labels: ["reason": refusal.problem.code])))
        }
    }

    private func stage(_ commit: Commit, at now: Instant) throws(LogFailure) -> AppendRefusal? {
        latest = now
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
        for case (let draft, .written(let entry, let envelope)) in zip(commit.drafts, outcome) {
            unflushed += 1
            do {
                // A rebuild projects what is read. The value that was written gives the same tables.
                if let envelope, let event = draft.event as? any DeclaredEvent {
                    folding.fold(own: RecordedEvent(envelope, event.eventPayload))
                } else {
                    folding.fold(own: try RecordedEvent(reading: entry.bytes))
                }
            } catch {
                // The journal has just written these bytes, so a failure to read them back is a programming error.
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

extension Effect {
    /// Whether it tells somebody outside that something is recorded.
    fileprivate var isAcknowledgement: Bool {
        switch self {
        case .reply, .respond: true
        case .append, .settle, .ask, .send, .close, .beginBody, .continueBody, .subscribe, .publish, .hangUp, .work,
            .deliver, .prune, .note:
            false
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
