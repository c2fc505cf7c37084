public import EventSourcing
public import EventStore
import System
public import Vocabulary
import Wire

/// Which queries of a service are processed on a thread of their own, and how.
public struct QueryPlan: Sendable {
    /// The queries to process so; each of them only reads tables.
    public var verbs: Set<String>
    /// Those whose responses are the same for every caller, so that they are stored and have an entity tag.
    public var shared: Set<String>
    /// Opens the tables; called on the thread that reads them.
    public var open: @Sendable () throws -> any ReadTables
    /// Returns the response to a query, from tables that do not change meanwhile. Called on the query thread.
    public var answer: @Sendable (Request, Instant, any Tables) -> QueryAnswer

    /// Creates a plan; by default no responses are shared.
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

/// The response to a query, and how long it is valid while no table changes.
public struct QueryAnswer: Sendable {
    /// The response.
    public let answer: Response
    /// When the response becomes invalid; nil if it does not depend on time.
    public let until: Instant?

    /// Creates an answer that does not depend on time, unless `until` is given.
    public init(_ answer: Response, until: Instant? = nil) {
        self.answer = answer
        self.until = until
    }
}

/// A thread that processes queries on a read connection, so that decisions do not wait for them.
///
/// A query is passed on after the decisions before it are committed and flushed, and the thread reads the newest state.
/// So a caller that received a 201 sees its effect in the next query. Equal queries that wait together are processed
/// once.
final class QueryWorker {
    /// The part of a query that determines its response at a given state.
    private struct QueryKey: Hashable {
        let verb: String
        let body: [UInt8]
        let actor: Actor

        init(_ ask: Request) {
            (verb, body, actor) = (ask.verb, ask.body, ask.actor)
        }
    }

    /// A query that waits, with the time of its arrival.
    struct Job: Sendable {
        let ask: Request
        let now: Instant
    }

    let verbs: Set<String>
    private let jobs: Mailbox<Job?>
    private let worker: Worker

    /// - Parameter give: receives each response, on the query thread.
    init(_ plan: QueryPlan, give: @escaping @Sendable (UInt64, Response) -> Void) throws(SystemError) {
        verbs = plan.verbs
        let jobs = try Mailbox<Job?>(capacity: HostLimits.queriesWaiting)
        self.jobs = jobs
        worker = try Worker(name: "queries") {
            var tables: (any ReadTables)?
            var shared = SharedResponses()
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

    /// Adds a query; returns false if too many wait.
    func start(_ ask: Request, at now: Instant) -> Bool { jobs.push(Job(ask: ask, now: now)) }

    /// Processes the waiting queries and ends the thread.
    func stop() {
        while !jobs.push(nil) { Self.rest() }
        worker.join()
    }

    /// Waits briefly, until a mailbox may have space.
    static func rest() {
        do throws(SystemError) {
            _ = try Poll.wait([], milliseconds: 10)
        } catch {
            // The caller tries again at once.
            return
        }
    }

    /// Returns the responses to a batch, all from one state. If the state cannot be read, it is reopened for the next
    /// batch.
    static func answer(
        _ batch: [Job], _ plan: QueryPlan, _ tables: inout (any ReadTables)?, _ shared: inout SharedResponses
    ) -> [(id: UInt64, answer: Response)] {
        guard let last = batch.last else { return [] }
        do {
            let opened = try tables ?? plan.open()
            tables = opened
            var known: [QueryKey: Response] = [:]
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
                    let key = QueryKey(job.ask)
                    let answer = known[key] ?? plan.answer(job.ask, last.now, opened).answer
                    known[key] = answer
                    return (job.ask.id, answer)
                }
            }
        } catch {
            // Responses from a state that could not be read are discarded.
            (tables, shared) = (nil, SharedResponses())
            let problem = Problem(503, "unreadable", "The tables cannot be read just now: \(error)")
            return batch.map { ($0.ask.id, problem.answer) }
        }
    }
}
