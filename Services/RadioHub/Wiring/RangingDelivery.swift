import Crypto
import HTTP
import System
import Vocabulary

/// Sends what was received of beacons to a farm, once a second, on a thread of its own.
///
/// What the farm does not take at once is lost, because it would say nothing about where a beacon is now. That beacons
/// were received at all is in the batches, which are stored.
final class RangingDelivery: Sendable {
    /// What became of the receptions of one second.
    enum Outcome: Hashable, Sendable {
        case accepted
        case lost(String)
    }

    /// Nil ends the thread.
    private let bodies: Mailbox<[UInt8]?>
    private let outcomes: Mailbox<Outcome>
    private let worker: Worker

    init(farm: String, token: String, authority: String?) throws(SystemError) {
        let bodies = try Mailbox<[UInt8]?>(capacity: 2)
        let outcomes = try Mailbox<Outcome>(capacity: 16)
        let client = HTTPClient(caFile: authority)
        (self.bodies, self.outcomes) = (bodies, outcomes)
        worker = try Worker(name: "ranging") {
            while true {
                do throws(SystemError) {
                    _ = try Poll.wait([bodies.descriptor], milliseconds: -1)
                } catch {
                    return
                }
                for body in bodies.drain() {
                    guard let body else { return }
                    _ = outcomes.push(Self.send(body, to: farm, token, client))
                }
            }
        }
    }

    func takeOutcomes() -> [Outcome] { outcomes.drain() }

    /// Returns false if the farm has not responded to the seconds before.
    func send(_ body: [UInt8]) -> Bool { bodies.push(body) }

    /// Ends the thread once its request has ended.
    func end() {
        _ = bodies.push(nil)
        worker.join()
    }

    private static func send(_ body: [UInt8], to farm: String, _ token: String, _ client: HTTPClient) -> Outcome {
        let headers = [
            ("Authorization", "Bearer \(token)"), ("Content-Type", "application/json"),
            ("Idempotency-Key", Hex.encode(Random.bytes(16))),
        ]
        do throws(HTTPError) {
            let response = try client.send(
                "POST", farm + "/v1/adverts", headers: headers, body: body,
                timeoutSeconds: QueueLimits.rangingSeconds)
            return response.status == 200
                ? .accepted : .lost(FarmDelivery.reason(response.status, response.body))
        } catch {
            return .lost(error.message)
        }
    }
}
