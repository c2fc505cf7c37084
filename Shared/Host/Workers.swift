import System

/// Slow work on threads, so that the loop never waits for it: one does what only takes time (a password hash), and each
/// server outside that is spoken to has one of its own, so that one that hangs holds up nobody else.
final class Workers {
    private let results: Mailbox<LoopMessage>
    private let inside: WorkerThread
    /// By recipient, as many as the service names.
    private var outside: [String: WorkerThread] = [:]

    init(into results: Mailbox<LoopMessage>) throws {
        self.results = results
        inside = try WorkerThread("bench", into: results)
    }

    /// False when too many jobs wait.
    func work(_ token: UInt64, _ body: @escaping @Sendable () -> [UInt8]) -> Bool { inside.start(token, body) }

    /// False when too many words for this recipient wait, or there is no thread for them.
    func deliver(_ token: UInt64, to recipient: String, _ body: @escaping @Sendable () -> [UInt8]) -> Bool {
        do {
            let bench = try outside[recipient] ?? WorkerThread(recipient, into: results)
            outside[recipient] = bench
            return bench.start(token, body)
        } catch {
            return false
        }
    }

    /// Nobody waits for servers outside: what they have not taken is said again by whoever is started next.
    func stop() { inside.stop() }
}

/// One thread that does one job after the other.
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
