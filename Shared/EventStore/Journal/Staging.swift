package import EventSourcing
package import Vocabulary
import Wire

/// The look-ups in a committed journal that staging needs.
package protocol CommittedJournal {
    /// Returns the version of a stream; 0 for an unknown one.
    func storedVersion(of stream: BinaryString) throws(LogFailure) -> Int
    /// Returns the position of the event with this id, or nil if there is none.
    func storedPosition(of id: UUID) throws(LogFailure) -> Position?
    /// Returns the stored response of a command, or nil if there is none.
    func storedResponse(to command: CommandName) throws(LogFailure) -> StoredResponse?
}

/// The name under which a response is stored: the actor and its idempotency key.
package struct CommandName: Hashable, Sendable {
    package let actor: BinaryString
    package let key: BinaryString

    package init(_ command: IdempotencyKey) {
        self.init(actor: command.actor, key: command.key)
    }

    package init(actor: String, key: String) {
        self.actor = BinaryString(actor)
        self.key = BinaryString(key)
    }
}

/// An event with its version and position, before the next commit.
package struct StagedEvent: Sendable {
    package let stream: BinaryString
    package let version: Int
    package let id: UUID
    package let entry: Entry
    /// Nil if the bytes say less than the draft.
    package let envelope: Envelope?
}

/// The staged, uncommitted end of a journal. All engines use it, so that they behave alike.
///
/// It checks a commit before anything is written, then assigns versions, positions, times, bytes and chain hashes.
package struct Staging {
    package let origin: Origin
    /// The origin's name, stored because the head is requested often.
    private let feed: String
    package private(set) var epoch: Epoch
    private var writer: EnvelopeWriter
    package private(set) var position: Position
    package private(set) var hash: [UInt8]
    /// The time at which the last event was recorded.
    package private(set) var recorded: Instant
    /// In order of position.
    package private(set) var events: [StagedEvent] = []
    /// The new version of every stream that has staged events.
    package private(set) var versions: [BinaryString: Int] = [:]
    package private(set) var answers: [CommandName: StoredResponse] = [:]
    /// The staged commits, in order: how many events each wrote, and the command whose response it stores.
    private var commits: [(events: Int, command: CommandName?)] = []
    /// Bytes of `events`.
    package private(set) var bytes = 0
    /// The number of staged events with an id of their own, which goes to a random page of the id index.
    package private(set) var scattered = 0
    private var ids: [UUID: Position] = [:]
    private var chance: RandomSource
    /// The last command that was looked up and not found; storing its response needs no second look-up.
    private var unknown: CommandName?

    package init(
        origin: Origin, epoch: Epoch, position: Position, hash: [UInt8], recorded: Instant, chance: RandomSource
    ) {
        self.origin = origin
        feed = origin.description
        self.epoch = epoch
        writer = EnvelopeWriter(origin, epoch)
        self.position = position
        self.hash = hash
        self.recorded = recorded
        self.chance = chance
    }

    package var isEmpty: Bool { versions.isEmpty && answers.isEmpty }

    package var head: Head { Head(feed: feed, epoch: epoch, position: position, hash: hash) }

    package func version(of stream: BinaryString, over kept: some CommittedJournal) throws(LogFailure) -> Int {
        if let version = versions[stream] { return version }
        return try kept.storedVersion(of: stream)
    }

    package mutating func recall(_ key: IdempotencyKey, over kept: some CommittedJournal) throws(LogFailure)
        -> IdempotencyLookup
    {
        let name = CommandName(key)
        if let staged = answers[name] { return staged.lookup(of: key) }
        if let answer = try kept.storedResponse(to: name) { return answer.lookup(of: key) }
        unknown = name
        return .unknown
    }

    /// Begins an epoch: later entries carry its number. With `resettingTime` they may be recorded at an earlier time
    /// than those of the previous epoch.
    package mutating func begin(_ epoch: Epoch, resettingTime: Bool) {
        self.epoch = epoch
        if resettingTime { recorded = Instant(microseconds: 0) }
        writer = EnvelopeWriter(origin, epoch)
    }

    /// Drops the staged events after they were written to the open transaction, where look-ups find them.
    package mutating func forgetEvents() {
        events.removeAll(keepingCapacity: true)
        ids.removeAll(keepingCapacity: true)
        bytes = 0
        scattered = 0
    }

    /// Drops everything staged after it was committed.
    package mutating func forgetAll() {
        forgetEvents()
        versions.removeAll(keepingCapacity: true)
        answers.removeAll(keepingCapacity: true)
        commits.removeAll(keepingCapacity: true)
    }

    /// Returns the staged commits, to replicate them. Requires that no events were forgotten.
    package var replicated: [ReplicatedCommit] {
        var next = 0
        return commits.map { commit in
            let written = events[next..<(next + commit.events)]
            next += commit.events
            let response = commit.command.flatMap { name in answers[name]?.numbered(0, of: name) }
            return ReplicatedCommit(events: written.map { ($0.id, $0.entry) }, response: response)
        }
    }

    /// Draws the number of a new epoch.
    package mutating func inventEpoch() -> Epoch { Epoch(chance.epoch()) }
}

extension Staging {
    /// Stages all drafts and the response. If it throws, nothing is changed.
    package mutating func stage(
        _ commit: Commit, at now: Instant, over kept: some CommittedJournal
    ) throws(StageError) -> [Staged] {
        guard commit.drafts.count <= EventLimits.decisionEvents else {
            throw .refused(.tooLarge(stream: commit.drafts.first?.stream ?? "", bytes: commit.drafts.count))
        }
        if let (key, answer) = commit.answer { try checkSettling(key, answer, over: kept) }
        let places = try place(commit.drafts, over: kept)
        var writing = Writing(position: position, hash: hash, recorded: recorded)
        var outcome: [Staged] = []
        outcome.reserveCapacity(places.count)
        for (draft, place) in zip(commit.drafts, places) {
            switch place {
            case .known(let position):
                outcome.append(.known(position))
            case .next(let stream, let version):
                let event = try write(draft, stream, version, at: now, in: &writing)
                outcome.append(.written(event.entry, event.envelope))
            }
        }
        position = writing.position
        hash = writing.hash
        recorded = writing.recorded
        bytes += writing.bytes
        scattered += writing.scattered
        for event in writing.events {
            versions[event.stream] = event.version
            ids[event.id] = event.entry.position
        }
        if events.isEmpty { events = writing.events } else { events.append(contentsOf: writing.events) }
        let command = commit.answer.map { CommandName($0.key) }
        if let (key, answer) = commit.answer, let command {
            answers[command] = StoredResponse(digest: key.digest, answer: answer)
        }
        if !writing.events.isEmpty || command != nil { commits.append((writing.events.count, command)) }
        return outcome
    }

    /// The result of checking one draft: already recorded, or its stream and next version.
    private enum Place {
        case known(Position)
        case next(BinaryString, Int)
    }

    /// The end of the journal while one commit is written.
    private struct Writing {
        var position: Position
        var hash: [UInt8]
        var recorded: Instant
        var events: [StagedEvent] = []
        var bytes = 0
        var scattered = 0
    }

    /// Checks ids and expected versions. Each draft sees the drafts before it in the same commit.
    ///
    /// A known id takes precedence over its expected version, because that very event may have advanced the stream.
    private func place(_ drafts: [Draft], over kept: some CommittedJournal) throws(StageError) -> [Place] {
        var places: [Place] = []
        places.reserveCapacity(drafts.count)
        var versions: [BinaryString: Int] = [:]
        var ids: [UUID: Position] = [:]
        var next = position
        for draft in drafts {
            if let id = draft.id {
                if let known = ids[id] {
                    places.append(.known(known))
                    continue
                }
                if let known = try knownPosition(of: id, over: kept) {
                    places.append(.known(known))
                    continue
                }
                if places.count < drafts.count - 1 { ids[id] = next + 1 }
            }
            let stream = BinaryString(draft.stream)
            let version: Int
            if let own = versions[stream] { version = own } else { version = try current(stream, over: kept) }
            switch draft.expected {
            case .any: break
            case .new where version == 0: break
            case .version(version): break
            default: throw .refused(.conflict(stream: draft.stream, version: version))
            }
            next += 1
            // No draft follows the last one, so its version need not be noted.
            if places.count < drafts.count - 1 { versions[stream] = version + 1 }
            places.append(.next(stream, version + 1))
        }
        return places
    }

    private func current(_ stream: BinaryString, over kept: some CommittedJournal) throws(StageError) -> Int {
        do throws(LogFailure) {
            return try version(of: stream, over: kept)
        } catch {
            throw .failed(error)
        }
    }

    private func knownPosition(of id: UUID, over kept: some CommittedJournal) throws(StageError) -> Position? {
        if let staged = ids[id] { return staged }
        do throws(LogFailure) {
            return try kept.storedPosition(of: id)
        } catch {
            throw .failed(error)
        }
    }

    private mutating func write(
        _ draft: Draft, _ stream: BinaryString, _ version: Int, at now: Instant, in writing: inout Writing
    ) throws(StageError) -> StagedEvent {
        let recorded = max(now, Instant(microseconds: writing.recorded.microseconds &+ 1))
        let id = draft.id ?? UUID.timed(recorded, random: chance.bytes(10))
        let position = writing.position + 1
        let envelope = Envelope(
            id: id, origin: origin, epoch: epoch, position: position, name: type(of: draft.event).name,
            stream: draft.stream, version: version, time: draft.time ?? recorded, recorded: recorded,
            farm: draft.farm, actor: draft.actor, correlation: draft.correlation, causation: draft.causation,
            trace: draft.trace)
        let (bytes, isLossy) = writer.writeReportingLoss(envelope, draft.event)
        guard bytes.count <= EventLimits.eventBytes else {
            throw .refused(.tooLarge(stream: draft.stream, bytes: bytes.count))
        }
        let hash = Chain.next(after: writing.hash, bytes)
        let event = StagedEvent(
            stream: stream, version: version, id: id, entry: Entry(position: position, hash: hash, bytes: bytes),
            envelope: isLossy ? nil : envelope)
        writing.position = position
        writing.hash = hash
        writing.recorded = recorded
        writing.bytes += bytes.count
        if draft.id != nil { writing.scattered += 1 }
        writing.events.append(event)
        return event
    }

    /// Checks that a response may be stored. A command has one response, so a caller must `recall` it first.
    private mutating func checkSettling(
        _ key: IdempotencyKey, _ answer: Response, over kept: some CommittedJournal
    ) throws(StageError) {
        let size = key.actor.utf8.count + key.key.utf8.count + key.digest.count + answer.body.count
        guard size <= StoreLimits.answerBytes else { throw .refused(.tooLarge(stream: "answer", bytes: size)) }
        let name = CommandName(key)
        let wasLookedUp = unknown == name
        unknown = nil
        var isAnswered = answers[name] != nil
        if !isAnswered, !wasLookedUp {
            do throws(LogFailure) {
                isAnswered = try kept.storedResponse(to: name) != nil
            } catch {
                throw .failed(error)
            }
        }
        guard !isAnswered else {
            throw .failed(LogFailure(operation: "stage", message: "the command was answered before"))
        }
    }
}
