import System

/// Slow work (a password hash) on a thread of its own, so that the loop never waits for it.
final class WorkBench {
    private struct Job: Sendable {
        let token: UInt64
        let body: @Sendable () -> [UInt8]
    }

    private let jobs: Mailbox<Job?>
    private let worker: Worker

    init(into results: Mailbox<Inward>) throws {
        let jobs = try Mailbox<Job?>(capacity: HostLimits.openRequests)
        self.jobs = jobs
        worker = try Worker(name: "bench") {
            while true {
                do {
                    _ = try Poll.wait([jobs.descriptor], milliseconds: 1000)
                } catch {
                    return
                }
                for job in jobs.drain() {
                    guard let job else { return }
                    _ = results.push(.finished(token: job.token, result: job.body()))
                }
            }
        }
    }

    /// False when too many jobs wait.
    func start(_ token: UInt64, _ body: @escaping @Sendable () -> [UInt8]) -> Bool {
        jobs.push(Job(token: token, body: body))
    }

    func stop() {
        _ = jobs.push(nil)
        worker.join()
    }
}
