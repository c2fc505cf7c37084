import HTTP
import SQLite
import Sharing
import System
import Wire

/// The responses of a client to others in its network: its index, and public content that proves itself.
struct SharedResponses: Sendable {
    let neighbours: Neighbours
    /// Returns a stored picture by its SHA-256.
    let picture: @Sendable (String) -> [UInt8]?
    /// Returns the names of the stored pictures.
    let pictures: @Sendable () -> [String]

    /// Returns the response to a request. Nothing here depends on who requests it, and nothing is about a person.
    func response(to request: HTTPRequest, port: Int) -> HTTPResponse {
        guard request.method == "GET" else {
            return Self.problem(405, "method", "This client takes GET and HEAD.")
        }
        guard request.path != PeerIndex.path else { return index(request, port) }
        let key = neighbours.cacheKey(request.address)
        guard key.isShared else { return Self.problem(404, "not-found", "This client has nothing at this address.") }
        if MediaName.isNamed(key.target) { return media(key.target) }
        guard let stored = neighbours.stored(key.target), let age = stored.age(at: Clock.realMicroseconds()) else {
            return Self.problem(504, "not-stored", "This is not stored here.")
        }
        neighbours.count(key.target)
        var headers = stored.headers
        headers["Age"] = String(age)
        return Self.open(HTTPResponse(status: 200, headers: headers, body: stored.body))
    }

    /// The addresses of what is requested most here.
    var popular: [String] { entries.prefix(SharingLimits.announced).map(\.key.target) }

    private var entries: [ResponseCache.IndexEntry] {
        neighbours.index(SharingLimits.listed).filter(\.key.isShared)
    }

    private func index(_ request: HTTPRequest, _ port: Int) -> HTTPResponse {
        let farm = neighbours.key.map(ResponseSignature.identifier)
        let seconds = Double(Clock.realMicroseconds()) / 1_000_000
        let listed = farm.map { farm in
            entries.map { entry in
                SharedIndex.Entry(
                    farm: farm, target: entry.key.target, type: entry.type, requests: entry.rank.requests(at: seconds))
            } + pictures().map { SharedIndex.Entry(farm: farm, target: "/media/\($0)", type: "image/*", requests: 1) }
        }
        let body = SharedIndex(
            node: neighbours.identifier, kind: .client,
            farms: farm.map { [SharedIndex.Farm(key: $0, port: port)] } ?? [],
            entries: listed ?? []
        ).json
        let tag = SharedIndex.tag(body)
        guard request.headers["If-None-Match"] != tag else {
            return Self.open(HTTPResponse(status: 304, headers: ["ETag": tag]))
        }
        var response = HTTPResponse(status: 200, type: "application/json", body: body)
        response.headers["ETag"] = tag
        response.headers["Cache-Control"] = "no-store"
        return Self.open(response)
    }

    private func media(_ target: String) -> HTTPResponse {
        let name = String(target.dropFirst("/media/".count).prefix { $0 != "?" })
        guard let bytes = picture(name), let type = PeerContent.picture(bytes) else {
            return Self.problem(504, "not-stored", "This picture is not stored here.")
        }
        var response = HTTPResponse(status: 200, type: type, body: bytes)
        response.headers["Cache-Control"] = "public, max-age=31536000, immutable"
        response.headers["X-Content-Type-Options"] = "nosniff"
        return Self.open(response)
    }

    /// Lets pages of any origin read a response: all of it is public.
    private static func open(_ response: HTTPResponse) -> HTTPResponse {
        var response = response
        response.headers["Cache-Status"] = "furrow-client; hit"
        response.headers["Access-Control-Allow-Origin"] = "*"
        return response
    }

    private static func problem(_ status: Int, _ title: String, _ detail: String) -> HTTPResponse {
        let body = Problem(status, title, detail).body
        var response = HTTPResponse(status: status, type: "application/problem+json", body: body)
        response.headers["Cache-Control"] = "no-store"
        return response
    }
}
