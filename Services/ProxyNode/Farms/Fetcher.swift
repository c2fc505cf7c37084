import HTTP
import System
import Wire

/// A thread that sends one request at a time to a farm, so that a slow farm does not hold up the event loop.
final class Fetcher: Sendable {
    struct Job: Sendable {
        let key: CacheKey
        /// The entity tag of the response that is stored.
        let tag: String?
    }

    /// What became of a job.
    struct Outcome: Sendable {
        let farm: Int
        let fetcher: Int
        let key: CacheKey
        let result: Result<HTTPResponse, HTTPError>
    }

    private let jobs: Mailbox<Job>
    private let worker: Worker

    /// - Parameters:
    ///   - farm, number: Name the fetcher in its outcomes.
    ///   - outcomes: Receives an outcome for each job; has room for one of every fetcher.
    init(farm: Int, number: Int, client: HTTPClient, outcomes: Mailbox<Outcome>) throws(SystemError) {
        let jobs = try Mailbox<Job>(capacity: 2)
        self.jobs = jobs
        worker = try Worker(name: "fetch-\(farm)-\(number)") {
            while true {
                do throws(SystemError) {
                    _ = try Poll.wait([jobs.descriptor], milliseconds: -1)
                } catch {
                    return
                }
                for job in jobs.drain() {
                    let result = Self.fetch(job, with: client)
                    _ = outcomes.push(Outcome(farm: farm, fetcher: number, key: job.key, result: result))
                }
            }
        }
    }

    /// Starts a job. Callers wait for its outcome before they start the next one.
    func start(_ job: Job) { _ = jobs.push(job) }

    private static func fetch(_ job: Job, with client: HTTPClient) -> Result<HTTPResponse, HTTPError> {
        var headers = [
            ("Accept", job.key.isPage ? "text/html,*/*;q=0.5" : "*/*"), ("Via", "1.1 furrow-node"),
            ("Accept-Signature", ResponseSignature.request),
        ]
        if let tag = job.tag { headers.append(("If-None-Match", tag)) }
        return Result { () throws(HTTPError) in
            try client.send(
                "GET", job.key.farm + job.key.target, headers: headers, timeoutSeconds: NodeLimits.fetchSeconds)
        }
    }
}
