import System

/// Threads for slow work, so that the event loop never waits for it.
///
/// One thread does local work such as password hashing. Each external recipient has a thread of its own, so that one
/// that hangs delays no other.
final class Workers {
    private let results: Mailbox<LoopMessage>
    private let inside: WorkerThread
    /// By recipient, as many as the service names.
    private var outside: [String: WorkerThread] = [:]

    init(into results: Mailbox<LoopMessage>) throws {
        self.results = results
        inside = try WorkerThread("bench", into: results)
    }

    /// Starts a job; returns false if too many wait.
    func work(_ token: UInt64, _ body: @escaping @Sendable () -> [UInt8]) -> Bool { inside.start(token, body) }

    /// Starts a delivery; returns false if too many wait for this recipient or there is no thread for it.
    func deliver(_ token: UInt64, to recipient: String, _ body: @escaping @Sendable () -> [UInt8]) -> Bool {
        do {
            let thread = try outside[recipient] ?? WorkerThread(recipient, into: results)
            outside[recipient] = thread
            return thread.start(token, body)
        } catch {
            return false
        }
    }

    /// Stops the local thread. Deliveries are not waited for: the next run repeats what a recipient has not accepted.
    func stop() { inside.stop() }
}

/// A thread that runs one job after the other.
private final class WorkerThread {
    private struct Job: Sendable {
        let token: UInt64
        let body: @Sendable () -> [UInt8]
    }

    private let jobs: Mailbox<Job?>
    private let worker: Worker

    init(_ name: String, into results: Mailbox<LoopMessage>) throws {
        let jobs = try Mailbox<Job?>(capacity: HostLimits.openRequests)
        self.jobs = jobs
        worker = try Worker(name: name) {
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

    func start(_ token: UInt64, _ body: @escaping @Sendable () -> [UInt8]) -> Bool {
        jobs.push(Job(token: token, body: body))
    }

    func stop() {
        _ = jobs.push(nil)
        worker.join()
    }
}
