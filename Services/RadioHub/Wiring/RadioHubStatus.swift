import JSON
import System
import Vocabulary

/// What a hub does, as it writes it to a file of its home every few seconds.
struct RadioHubStatus: Hashable, Sendable, JSONReadable {
    var at = Instant(microseconds: 0)
    /// Why the controller does not scan; nil if it does.
    var controller: String?
    /// The addresses of the devices that are connected.
    var connected: [String] = []
    /// Why the farm was not reached; nil if it was, or nothing was sent yet.
    var farm: String?
    /// Reports that are stored and not delivered, and when the oldest was received.
    var waiting = 0
    var oldest: Instant?
    /// Reports since the start: stored, delivered, and removed because they were too old or too many.
    var received = 0
    var delivered = 0
    var removed = 0
    /// Requests that the farm refused and that are kept.
    var refused = 0
    /// Seconds whose receptions of beacons the farm has taken, and those whose receptions were lost.
    var rangedSeconds = 0
    var lostSeconds = 0
    /// Receptions of beacons that were too many for one second.
    var omittedReceptions = 0
    /// Nil if no folder of cameras is watched.
    var cameras: CameraState?

    init() {}

    init(json: borrowing JSONValue) throws(JSONError) {
        at = try json.get("at")
        controller = try json.find("controller")
        connected = try json.get("connected")
        farm = try json.find("farm")
        waiting = try json.get("waiting")
        oldest = try json.find("oldest")
        received = try json.get("received")
        delivered = try json.get("delivered")
        removed = try json.get("removed")
        refused = try json.get("refused")
        rangedSeconds = try json.find("rangedSeconds") ?? 0
        lostSeconds = try json.find("lostSeconds") ?? 0
        omittedReceptions = try json.find("omittedReceptions") ?? 0
        cameras = try json.find("cameras")
    }

    static func path(in home: String) -> String { home + "/status.json" }

    var json: [UInt8] {
        var json = JSONWriter()
        json.object { json in
            json.member("at", at)
            json.member("controller", ifPresent: controller)
            json.member("connected", connected)
            json.member("farm", ifPresent: farm)
            json.member("waiting", waiting)
            json.member("oldest", ifPresent: oldest)
            json.member("received", received)
            json.member("delivered", delivered)
            json.member("removed", removed)
            json.member("refused", refused)
            json.member("rangedSeconds", rangedSeconds)
            json.member("lostSeconds", lostSeconds)
            json.member("omittedReceptions", omittedReceptions)
            json.member("cameras", ifPresent: cameras)
        }
        return json.bytes
    }

    /// The state that is sent to the farm: the body of `PUT /v1/hub`.
    var report: [UInt8] {
        var json = JSONWriter()
        json.object { json in
            json.member("trouble", ifPresent: controller.map { String($0.prefix(QueueLimits.reasonCharacters)) })
            json.member("connected", connected)
            json.member("waiting", waiting)
            json.member("oldest", ifPresent: oldest)
            json.member("received", received)
            json.member("removed", removed)
            json.member("refused", refused)
        }
        return json.bytes
    }

    /// Returns the status in words, a line each.
    var lines: [String] {
        var lines = [controller.map { "Radio: \($0)" } ?? "Radio: listening"]
        lines.append(
            connected.isEmpty ? "Connected: no device" : "Connected: \(connected.joined(separator: ", "))")
        lines.append("Farm: \(farm ?? (delivered > 0 ? "reached" : "nothing was sent yet"))")
        lines.append("Since the start: \(received) reports received, \(delivered) delivered")
        let since = oldest.map { $0.description.prefix(19).split(separator: "T").joined(separator: " ") + " UTC" }
        lines.append(since.map { "Waiting: \(waiting), the oldest from \($0)" } ?? "Waiting: none")
        if removed > 0 { lines.append("Lost: \(removed) reports that waited for a week, or were too many") }
        if refused > 0 { lines.append("Requests that the farm refused: \(refused), kept in queue.db") }
        if rangedSeconds + lostSeconds > 0 {
            lines.append("Beacons: received in \(rangedSeconds) seconds and sent, in \(lostSeconds) and lost")
        }
        if let cameras {
            lines.append("Pictures since the start: \(cameras.delivered) delivered, \(cameras.waiting) waiting")
            if let trouble = cameras.trouble { lines.append("Last picture: \(trouble)") }
            if cameras.refused > 0 {
                lines.append("Pictures that the farm refused: \(cameras.refused), named .refused")
            }
        }
        return lines
    }
}
