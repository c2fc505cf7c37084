import HTTP
import Synchronization
import System

/// A thread that reads the live stream of a farm while visitors of the node want it.
final class FarmStream: Sendable {
    /// Whether it reads; shared with the thread.
    private final class Demand: Sendable {
        let isWanted = Mutex(false)
    }

    private let demand = Demand()
    private let wakeups: Mailbox<Void>
    private let worker: Worker

    /// - Parameter changes: Receives the farm's number when the farm has announced a change.
    init(farm: Int, address: String, client: HTTPClient, changes: Mailbox<Int>) throws(SystemError) {
        let (demand, wakeups) = (demand, try Mailbox<Void>(capacity: 1))
        self.wakeups = wakeups
        worker = try Worker(name: "live-\(farm)") {
            while true {
                do throws(SystemError) {
                    // After a stream has ended, the next one is opened a few seconds later.
                    let pause = demand.isWanted.withLock { $0 } ? NodeLimits.liveMilliseconds : -1
                    _ = try Poll.wait([wakeups.descriptor], milliseconds: pause)
                } catch {
                    return
                }
                _ = wakeups.drain()
                guard demand.isWanted.withLock({ $0 }) else { continue }
                do throws(HTTPError) {
                    try client.events(address + "/v1/sync/live", timeoutSeconds: NodeLimits.liveSeconds) { line in
                        if line == "event: changed" { _ = changes.push(farm) }
                        return demand.isWanted.withLock { $0 }
                    }
                } catch {
                    // The farm is not reached: the event loop notices by its own requests.
                    continue
                }
            }
        }
    }

    /// Starts or stops reading. A stream that is open ends with its next line, which the farm sends within 20 seconds.
    func want(_ isWanted: Bool) {
        let isChange = demand.isWanted.withLock { wanted in
            defer { wanted = isWanted }
            return wanted != isWanted
        }
        // A full mailbox has a wake-up already.
        if isChange { _ = wakeups.push(()) }
    }
}
