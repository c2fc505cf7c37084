import JSON
import Vocabulary
import Wire

/// What a radio hub (`furrow-hub`) says about itself; the last one is kept in memory.
struct HubState: Hashable, Sendable {
    /// Why its radio does not listen; nil if it does.
    let trouble: String?
    /// The addresses of the devices that are connected.
    let connected: [String]
    /// Reports that it stores and could not deliver, and when the oldest was received.
    let waiting: Int
    let oldest: Instant?
    /// Reports since its start that it received, and that were removed before they could be delivered.
    let received: Int
    let removed: Int
    /// Requests that the farm refused.
    let refused: Int

    init(_ body: RequestBody) throws(Problem) {
        trouble = try body.optionalText("trouble")
        connected = try body.get("connected")
        guard connected.count <= GatewayLimits.hubDevices, connected.allSatisfy(StringFormat.address.fits) else {
            throw Problem(
                400, "malformed",
                "connected: use up to \(GatewayLimits.hubDevices) addresses such as 54:6c:0e:00:00:01.")
        }
        waiting = try Self.count("waiting", in: body)
        oldest = try body.find("oldest")
        received = try Self.count("received", in: body)
        removed = try Self.count("removed", in: body)
        refused = try Self.count("refused", in: body)
    }

    private static func count(_ name: String, in body: RequestBody) throws(Problem) -> Int {
        let number: Int = try body.get(name)
        guard GatewayLimits.hubReports.contains(number) else {
            throw Problem(400, "malformed", "\(name): use 0 to \(GatewayLimits.hubReports.upperBound).")
        }
        return number
    }

    /// Writes the members of the last state, which came at `time`.
    func write(fields json: inout JSONWriter, at time: Instant) {
        json.field("at", time)
        json.field("trouble", ifPresent: trouble)
        json.field("connected", connected)
        json.field("waiting", waiting)
        json.field("oldest", ifPresent: oldest)
        json.field("received", received)
        json.field("removed", removed)
        json.field("refused", refused)
    }
}
