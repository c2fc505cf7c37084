import HTTP
import System

/// A thread that sends one request at a time to another node.
final class PeerFetcher: Sendable {
    /// What is requested.
    enum Job: Hashable, Sendable {
        /// The index of the node at this address.
        case index(peer: String, tag: String?)
        /// A response that the node at `peer` serves at `base`.
        case content(CacheKey, peer: String, base: String)
    }

    /// What became of a job.
    struct Outcome: Sendable {
        let fetcher: Int
        let job: Job
        let result: Result<HTTPResponse, HTTPError>
    }

    private let jobs: Mailbox<Job>
    private let worker: Worker

    /// - Parameter outcomes: Receives an outcome for each job; has room for one of every fetcher.
    init(number: Int, client: HTTPClient, outcomes: Mailbox<Outcome>) throws(SystemError) {
        let jobs = try Mailbox<Job>(capacity: 2)
        self.jobs = jobs
        worker = try Worker(name: "peer-\(number)") {
            while true {
                do throws(SystemError) {
                    _ = try Poll.wait([jobs.descriptor], milliseconds: -1)
                } catch {
                    return
                }
                for job in jobs.drain() {
                    _ = outcomes.push(Outcome(fetcher: number, job: job, result: Self.fetch(job, with: client)))
                }
            }
        }
    }

    /// Starts a job. Callers wait for its outcome before they start the next one.
    func start(_ job: Job) { _ = jobs.push(job) }

    private static func fetch(_ job: Job, with client: HTTPClient) -> Result<HTTPResponse, HTTPError> {
        let url: String
        var headers = [("Via", "1.1 furrow-node")]
        switch job {
        case .index(let peer, let tag):
            url = peer + NodeRequest.prefix + "/shared"
            if let tag { headers.append(("If-None-Match", tag)) }
        case .content(let key, _, let base):
            url = base + key.target
            headers += [
                ("Accept", key.isPage ? "text/html,*/*;q=0.5" : "*/*"), ("Cache-Control", "only-if-cached"),
            ]
        }
        return Result { () throws(HTTPError) in
            try client.send("GET", url, headers: headers, timeoutSeconds: NodeLimits.peerSeconds)
        }
    }
}
