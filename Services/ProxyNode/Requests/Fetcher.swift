import HTTP
import System

/// A thread that sends one request at a time, so that a slow server does not hold up the event loop.
final class Fetcher<Job: FetchJob>: Sendable {
    /// What became of a job.
    struct Outcome: Sendable {
        /// The number of the fetcher.
        let fetcher: Int
        let job: Job
        let result: Result<HTTPResponse, HTTPError>
    }

    private let jobs: Mailbox<Job>
    private let worker: Worker

    /// - Parameters:
    ///   - name: The name of the thread.
    ///   - number: Names the fetcher in its outcomes.
    ///   - outcomes: Receives an outcome for each job; has room for one of every fetcher.
    init(name: String, number: Int, client: HTTPClient, outcomes: Mailbox<Outcome>) throws(SystemError) {
        let jobs = try Mailbox<Job>(capacity: 2)
        self.jobs = jobs
        worker = try Worker(name: name) {
            while true {
                do throws(SystemError) {
                    _ = try Poll.wait([jobs.descriptor], milliseconds: -1)
                } catch {
                    return
                }
                for job in jobs.drain() {
                    let result = Result { () throws(HTTPError) in
                        try client.send(
                            job.method, job.url, headers: [("Via", "1.1 furrow-node")] + job.headers, body: job.body,
                            timeoutSeconds: Job.seconds)
                    }
                    _ = outcomes.push(Outcome(fetcher: number, job: job, result: result))
                }
            }
        }
    }

    /// Starts a job. Callers wait for its outcome before they start the next one.
    func start(_ job: Job) { _ = jobs.push(job) }
}

/// One request of a node.
protocol FetchJob: Sendable {
    /// Seconds after which the request has failed.
    static var seconds: Double { get }
    var method: String { get }
    var url: String { get }
    var headers: [(String, String)] { get }
    var body: [UInt8] { get }
}

extension FetchJob {
    var method: String { "GET" }
    var body: [UInt8] { [] }
}
