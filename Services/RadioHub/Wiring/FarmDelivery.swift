import BluetoothCentral
import HTTP
import JSON
import System

/// Sends batches to a farm, one at a time, on a thread of its own, so that a slow farm does not hold up the radio.
final class FarmDelivery: Sendable {
    /// What became of a batch.
    enum Outcome: Hashable, Sendable {
        case accepted
        /// The farm will never accept it.
        case refused(String)
        /// It has to be sent again.
        case failed(String)
    }

    /// What the thread is to do.
    private enum Job: Sendable {
        case batch(ReportQueue.Batch)
        case state([UInt8])
        case end
    }

    private let jobs: Mailbox<Job>
    private let outcomes: Mailbox<Outcome>
    private let worker: Worker

    /// - Parameters:
    ///   - farm: The address of the farm, without a path.
    ///   - token: The token of a radio gateway.
    ///   - authority: The PEM file of the authority that signed the farm's certificate; nil trusts the system's.
    init(farm: String, token: String, authority: String?) throws(SystemError) {
        let jobs = try Mailbox<Job>(capacity: 4)
        let outcomes = try Mailbox<Outcome>(capacity: 2)
        let client = HTTPClient(caFile: authority)
        (self.jobs, self.outcomes) = (jobs, outcomes)
        worker = try Worker(name: "delivery") {
            while true {
                do throws(SystemError) {
                    _ = try Poll.wait([jobs.descriptor], milliseconds: -1)
                } catch {
                    _ = outcomes.push(.failed("\(error)"))
                    return
                }
                for job in jobs.drain() {
                    switch job {
                    case .batch(let batch): _ = outcomes.push(Self.send(batch, to: farm, token, client))
                    case .state(let body): Self.send(state: body, to: farm, token, client)
                    case .end: return
                    }
                }
            }
        }
    }

    /// Readable when a batch has an outcome.
    var descriptor: Int32 { outcomes.descriptor }

    /// Sends a batch. Callers wait for its outcome before they send the next one.
    func send(_ batch: ReportQueue.Batch) { _ = jobs.push(.batch(batch)) }

    /// Sends the state of the hub to the farm, once: the next state replaces one that was lost.
    func report(_ state: [UInt8]) { _ = jobs.push(.state(state)) }

    func takeOutcomes() -> [Outcome] { outcomes.drain() }

    /// Ends the thread once its request has ended.
    func end() {
        _ = jobs.push(.end)
        worker.join()
    }

    private static func send(
        _ batch: ReportQueue.Batch, to farm: String, _ token: String, _ client: HTTPClient
    ) -> Outcome {
        let headers = [
            ("Authorization", "Bearer \(token)"), ("Content-Type", "application/json"),
            ("Idempotency-Key", batch.key),
        ]
        do throws(HTTPError) {
            let response = try client.send(
                "POST", farm + "/v1/adverts", headers: headers, body: AdvertReport.body(of: batch.reports),
                timeoutSeconds: QueueLimits.requestSeconds)
            return outcome(status: response.status, body: response.body)
        } catch {
            return .failed(error.message)
        }
    }

    private static func send(state: [UInt8], to farm: String, _ token: String, _ client: HTTPClient) {
        let headers = [("Authorization", "Bearer \(token)"), ("Content-Type", "application/json")]
        do throws(HTTPError) {
            _ = try client.send(
                "PUT", farm + "/v1/hub", headers: headers, body: state, timeoutSeconds: QueueLimits.requestSeconds)
        } catch {
            // Batches notice that the farm is away, and an older farm does not know the route.
            return
        }
    }

    /// Returns what a response means.
    static func outcome(status: Int, body: [UInt8]) -> Outcome {
        switch status {
        case 200: .accepted
        case 401, 403: .failed("the farm does not accept the token: \(reason(status, body))")
        case 400, 413, 415, 422: .refused(reason(status, body))
        default: .failed(reason(status, body))
        }
    }

    /// Returns the status with the detail of a problem document (RFC 9457), if the body is one.
    static func reason(_ status: Int, _ body: [UInt8]) -> String {
        do throws(JSONError) {
            let detail: String? = try JSONValue.parse(body).find("detail")
            return "\(status) \(detail ?? "")"
        } catch {
            return "\(status)"
        }
    }
}
