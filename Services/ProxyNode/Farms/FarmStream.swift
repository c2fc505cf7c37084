import HTTP
import System

/// A thread that reads the live stream of a farm while visitors of the node want it.
final class FarmStream: Sendable {
    private let wanted: Mailbox<Bool>
    private let worker: Worker

    /// - Parameter changes: Receives the farm's number when the farm has said that something is new.
    init(farm: Int, address: String, client: HTTPClient, changes: Mailbox<Int>) throws(SystemError) {
        let wanted = try Mailbox<Bool>(capacity: 64)
        self.wanted = wanted
        worker = try Worker(name: "live-\(farm)") {
            var isWanted = false
            while true {
                do throws(SystemError) {
                    // After a stream has ended, the next one is opened a few seconds later.
                    _ = try Poll.wait([wanted.descriptor], milliseconds: isWanted ? NodeLimits.liveMilliseconds : -1)
                } catch {
                    return
                }
                isWanted = wanted.drain().last ?? isWanted
                guard isWanted else { continue }
                do throws(HTTPError) {
                    try client.events(address + "/v1/sync/live", timeoutSeconds: NodeLimits.liveSeconds) { line in
                        if line == "event: changed" { _ = changes.push(farm) }
                        return wanted.count == 0
                    }
                } catch {
                    // The farm is not reached: the event loop notices by its own requests.
                    continue
                }
            }
        }
    }

    /// Starts or stops reading. A stream that is open ends with its next line, which the farm sends within 20 seconds.
    func want(_ isWanted: Bool) { _ = wanted.push(isWanted) }
}
