import EventBus
import EventSourcing
import JSON
import System
import Telemetry
import Vocabulary
import Wire
import ZeroMQ

/// The operation of a service that hung too often. It opens neither journal nor tables, is not ready, and reports why
/// over its ops endpoint and its request endpoint.
struct StayingDown {
    let origin: Origin
    let reason: String
    let health: HealthRegistry
    let progress: EventLoopProgress
    let endpoints: Endpoints

    /// Serves until a stop is requested.
    func run(until signals: SignalWatcher) throws {
        health.set("journal", .down("not opened"))
        health.set("watchdog", .down(reason))
        let requestServer = try endpoints.requestServer(slot: origin.slot)
        var poller = Poller()
        _ = poller.add(requestServer.socket)
        _ = poller.add(descriptor: signals.descriptor)
        while true {
            progress.report(.turning)
            _ = try poller.wait(milliseconds: 1000)
            try endpoints.follow()
            if signals.drain().contains(where: { $0 == .terminate || $0 == .interrupt }) { return }
            for ask in try requestServer.receive(limit: HostLimits.requestsPerRound) {
                try requestServer.answer(ask, answer(ask))
            }
        }
    }

    private func answer(_ ask: IncomingRequest) -> Response {
        guard HostVerb(verb: ask.verb) == .status else {
            return Problem(503, "stays-down", "\(origin.service) stays down: \(reason)").answer
        }
        var status = ServiceStatus(origin: origin.description)
        status.built = Build.time()
        return .made { json in status.write(to: &json, report: health.report) }
    }
}
