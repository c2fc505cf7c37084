public import EventSourcing
public import EventStore
import System
public import Vocabulary
import Wire

/// How queries of a service are answered apart from its loop.
public struct QueryPlan: Sendable {
    /// What is answered so; each only reads tables.
    public var verbs: Set<String>
    /// Those of them whose answers are the same for every caller, so that they are kept and have a tag.
    public var shared: Set<String>
    /// Opens the tables; called on the thread that reads them.
    public var open: @Sendable () throws -> any ReadTables
    public var answer: @Sendable (Request, Instant, any Tables) -> QueryAnswer

    public init(
        verbs: Set<String>, shared: Set<String> = [], open: @escaping @Sendable () throws -> any ReadTables,
        answer: @escaping @Sendable (Request, Instant, any Tables) -> QueryAnswer
    ) {
        self.verbs = verbs
        self.shared = shared
        self.open = open
        self.answer = answer
    }
}

/// The answer of a query, and until when it holds while no table changes.
public struct QueryAnswer: Sendable {
    public let answer: Response
    /// Nil where time changes nothing in it.
    public let until: Instant?

    public init(_ answer: Response, until: Instant? = nil) {
        self.answer = answer
        self.until = until
    }
}

/// One thread that answers queries on a read connection, so that decisions do not wait for readers.
///
/// A query is handed over once all that was decided before it is committed and flushed, and the thread takes the newest
/// state when it begins: who was answered 201 sees it in the next query. Equal queries that wait together are answered
/// once.
final class QueryWorker {
    /// Queries that are equal have the same answer at the same state.
    private struct Question: Hashable {
        let verb: String
        let body: [UInt8]
        let actor: Actor

        init(_ ask: Request) {
            (verb, body, actor) = (ask.verb, ask.body, ask.actor)
        }
    }

    /// A query that waits, and when it came.
    struct Job: Sendable {
        let ask: Request
        let now: Instant
    }

    let verbs: Set<String>
    private let jobs: Mailbox<Job?>
    private let worker: Worker

    /// - Parameter give: takes each answer, on the worker's thread.
    init(_ plan: QueryPlan, give: @escaping @Sendable (UInt64, Response) -> Void) throws(SystemError) {
        verbs = plan.verbs
        let jobs = try Mailbox<Job?>(capacity: HostLimits.queriesWaiting)
        self.jobs = jobs
        worker = try Worker(name: "queries") {
            var tables: (any ReadTables)?
            var shared = SharedAnswers()
            while true {
                do throws(SystemError) {
                    _ = try Poll.wait([jobs.descriptor], milliseconds: 1000)
                } catch {
                    return
                }
                let batch = jobs.drain()
                let answers = Self.answer(batch.compactMap { $0 }, plan, &tables, &shared)
                for (id, answer) in answers { give(id, answer) }
                if batch.contains(where: { $0 == nil }) { return }
            }
        }
    }

    /// False when too many wait.
    func start(_ ask: Request, at now: Instant) -> Bool { jobs.push(Job(ask: ask, now: now)) }

    /// Answers what waits, and ends.
    func stop() {
        while !jobs.push(nil) { Self.rest() }
        worker.join()
    }

    /// Waits until there may be room in a mailbox.
    static func rest() {
        do throws(SystemError) {
            _ = try Poll.wait([], milliseconds: 10)
        } catch {
            // Then it is tried again at once.
            return
        }
    }

    /// The answers of a batch, all from one state; a state that cannot be read is opened again for the next batch.
    static func answer(
        _ batch: [Job], _ plan: QueryPlan, _ tables: inout (any ReadTables)?, _ shared: inout SharedAnswers
    ) -> [(id: UInt64, answer: Response)] {
        guard let last = batch.last else { return [] }
        do {
            let opened = try tables ?? plan.open()
            tables = opened
            var known: [Question: Response] = [:]
            return try opened.read {
                batch.map { job in
                    guard !plan.shared.contains(job.ask.verb) else {
                        return (
                            job.ask.id,
                            shared.answer(to: job.ask, at: last.now, opened.position) {
                                plan.answer(job.ask, last.now, opened)
                            }
                        )
                    }
                    let question = Question(job.ask)
                    let answer = known[question] ?? plan.answer(job.ask, last.now, opened).answer
                    known[question] = answer
                    return (job.ask.id, answer)
                }
            }
        } catch {
            // What was computed from a state that could not be read is not kept.
            (tables, shared) = (nil, SharedAnswers())
            let problem = Problem(503, "unreadable", "The tables cannot be read just now: \(error)")
            return batch.map { ($0.ask.id, problem.answer) }
        }
    }
}
