import JSON
import Sharing

/// What a node has done since its start.
struct NodeCounters: Hashable, Sendable {
    /// Requests by what was sent: a stored response that is fresh or usable, a stored one because the farm was not
    /// reached, or the farm's response.
    var hits = 0
    var stale = 0
    var passedOn = 0
    /// Responses that other nodes had.
    var fromPeers = 0
    /// Requests that waited for a request to the farm that another one had caused.
    var shared = 0
    /// Requests that were deferred, and those that only the farm may serve.
    var deferred = 0
    var refused = 0
    /// Requests to farms, how many of them confirmed a stored response or failed, and the bytes of their bodies.
    var fetches = 0
    var confirmed = 0
    var failed = 0
    var fetchedBytes = 0

    func write(to json: inout JSONWriter) {
        json.member("hits", hits)
        json.member("stale", stale)
        json.member("passed_on", passedOn)
        json.member("from_peers", fromPeers)
        json.member("shared", shared)
        json.member("deferred", deferred)
        json.member("refused", refused)
        json.member("fetches", fetches)
        json.member("confirmed", confirmed)
        json.member("failed", failed)
        json.member("fetched_bytes", fetchedBytes)
    }
}
