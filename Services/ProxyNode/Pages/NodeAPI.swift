import HTTP
import JSON
import SQLite
import Sharing
import Telemetry
import Vocabulary

/// The responses about a node itself, below `/.well-known/furrow-node`.
///
/// - the prefix itself: the farms, what is stored of each, and the requests that wait; a page for browsers
/// - `/index`: what is stored of the farm and requested most
/// - `/shared`: what other nodes may fetch here; `/peers`: the other nodes, and what they have
/// - `/requests`, `/requests/{id}`: deferred requests and their state
struct NodeAPI {
    let farms: [FarmAddress]
    /// How visitors reach this node: `http`, or `https` if it has a certificate.
    let scheme: String

    /// Returns the response to a request for a path below the prefix, of the farm with this number.
    func response(
        to request: HTTPRequest, _ path: String, isPage: Bool, of number: Int, _ content: borrowing Content,
        _ network: PeerNetwork, sealed: Int, at time: Moment
    ) throws(SQLiteError) -> HTTPResponse {
        switch path {
        case "", "/":
            return try isPage
                ? page(content, network, number, request, time)
                : json(try report(content, network, sealed: sealed, time))
        case "/shared": return try shared(with: request, content, network, time)
        case "/peers": return tagged(PeerReport.json(network.list.peers, at: time.monotonic), request)
        case "/index": return json(try index(content, number, time))
        case "/requests": return json(try requests(content))
        default: return try deferredRequest(path, content)
        }
    }

    /// Returns the addresses of what is requested most, of all farms.
    func popular(_ content: borrowing Content) throws(SQLiteError) -> [String] {
        try PeerReport.popular(farms, content.cache).prefix(SharingLimits.announced).map(\.key.target)
    }

    /// Returns a node's state as one JSON object.
    ///
    /// - Parameter sealed: The messages that wait for a farm, which alone can read them.
    func report(
        _ content: borrowing Content, _ network: PeerNetwork, sealed: Int, _ time: Moment
    ) throws(SQLiteError) -> [UInt8] {
        let sources = content.farms
        let counters = content.counters
        let cache = content.cache
        let waiting = content.deferred.waiting
        var json = JSONWriter()
        json.object { json in
            json.member("version", Release.version)
            json.member("at", Instant(microseconds: time.real))
            json.field(
                "farms",
                array: { json in
                    for (farm, source) in zip(farms, sources) {
                        json.element(object: { json in
                            json.member("address", farm.address)
                            json.member("port", farm.port)
                            if farm.isSite { json.member("site", true) }
                            json.member("reachable", source.link.isReachable)
                            json.member("since", ifPresent: source.link.since.map { Instant(microseconds: $0) })
                            json.member("reason", ifPresent: source.link.reason)
                        })
                    }
                })
            json.field(
                "stored",
                object: { json in
                    json.member("responses", cache.count)
                    json.member("bytes", cache.bytes)
                    json.member("limit", cache.limit)
                    json.member("removed", cache.evicted)
                })
            json.member("waiting", waiting)
            json.member("sealed", sealed)
            json.member("peers", network.list.peers.count)
            json.field("counts", object: { counters.write(to: &$0) })
        }
        return json.bytes
    }

    private func index(_ content: borrowing Content, _ number: Int, _ time: Moment) throws(SQLiteError) -> [UInt8] {
        let farm = farms[number].address
        let entries = try content.cache.index(of: farm, limit: SharingLimits.listed)
        var json = JSONWriter()
        json.object { json in
            json.member("farm", farm)
            json.field(
                "entries",
                array: { json in
                    for entry in entries {
                        json.element(object: { json in
                            json.member("target", entry.key.target)
                            json.member("type", entry.type)
                            json.member("bytes", entry.bytes)
                            json.member("received", Instant(microseconds: entry.receivedAt))
                            json.member("requests", entry.rank.requests(at: Double(time.real) / 1_000_000))
                        })
                    }
                })
        }
        return json.bytes
    }

    /// Returns what other nodes may fetch here, of all farms; 304 if the requester has it.
    private func shared(
        with request: HTTPRequest, _ content: borrowing Content, _ network: PeerNetwork, _ time: Moment
    ) throws(SQLiteError) -> HTTPResponse {
        tagged(
            try PeerReport.index(farms, content.cache, content.keys, node: network.list.node, at: time.real), request)
    }

    /// Returns a response with an entity tag; 304 if the requester has it.
    private func tagged(_ body: [UInt8], _ request: HTTPRequest) -> HTTPResponse {
        let tag = SharedIndex.tag(body)
        var response = json(request.headers["If-None-Match"] == tag ? [] : body)
        if response.body.isEmpty { response.status = 304 }
        response.headers["ETag"] = tag
        return response
    }

    private func requests(_ content: borrowing Content) throws(SQLiteError) -> [UInt8] {
        let entries = try content.deferred.newest(limit: SharingLimits.listed)
        var json = JSONWriter()
        json.object { json in
            json.field(
                "requests",
                array: { json in
                    for entry in entries { json.element(object: { entry.write(to: &$0) }) }
                })
        }
        return json.bytes
    }

    private func deferredRequest(_ path: String, _ content: borrowing Content) throws(SQLiteError) -> HTTPResponse {
        let prefix = "/requests/"
        guard path.hasPrefix(prefix),
            let entry = try content.deferred.find(id: String(path.dropFirst(prefix.count)))
        else { return NodeResponses.problem(404, "not-found", "This node has nothing at this address.") }
        var json = JSONWriter()
        json.object { entry.write(to: &$0) }
        return self.json(json.bytes)
    }

    private func json(_ body: [UInt8]) -> HTTPResponse {
        var response = HTTPResponse(status: 200, type: "application/json", body: body)
        response.headers["Cache-Control"] = "no-store"
        return NodeResponses.withSource(response, "furrow-node; detail=node")
    }

    private func page(
        _ content: borrowing Content, _ network: PeerNetwork, _ number: Int, _ request: HTTPRequest,
        _ time: Moment
    ) throws(SQLiteError) -> HTTPResponse {
        let farm = farms[number].address
        let source = content.farms[number]
        // Parts of pages and pictures mean nothing to people.
        let entries = try content.cache.index(of: farm, limit: SharingLimits.listed).filter { entry in
            !["/assets/", "/media/", "/sw.js", "/.well-known/"].contains { entry.key.target.hasPrefix($0) }
        }
        let newest = try content.deferred.newest(limit: SharingLimits.listed).filter { $0.key.farm == farm }
        let name = source.isSite ? "the site" : "the farm"
        let since = source.link.since.map { Self.words(seconds: (time.real - $0) / 1_000_000) }
        let state =
            source.link.isReachable
            ? since.map { "Connected to \(name), for \($0)." } ?? "Not connected to \(name) yet."
            : "No network to \(name)\(since.map { ", for \($0)" } ?? "")."
        let body = NodePages.overview(
            NodePages.Farm(
                address: farm, isSite: source.isSite, state: state,
                entries: entries.map { entry in
                    let age = Self.words(seconds: (time.real - entry.receivedAt) / 1_000_000)
                    return (target: entry.key.target, age: "\(age) ago")
                }),
            stored: "\(content.cache.count) responses of all farms are stored here, "
                + "\(content.cache.bytes >> 20) of \(content.cache.limit >> 20) MiB.",
            requests: newest.map { (target: $0.key.target, state: $0.words) },
            sites: sites(from: request),
            peers: PeerReport.page(network.list.peers, of: content.keys.identifier(of: farm), at: time.monotonic))
        var response = HTTPResponse(status: 200, type: "text/html; charset=utf-8", body: body)
        for (name, value) in NodePages.headers.fields { response.headers[name] = value }
        return response
    }

    /// Returns the other web sites, by the address at which a visitor reaches this node.
    private func sites(from request: HTTPRequest) -> [(address: String, link: String)] {
        let host = request.headers["Host"].flatMap {
            $0.firstMatch(of: /^(\[[0-9a-fA-F:.]+\]|[A-Za-z0-9.-]+)(:[0-9]+)?$/)
        }
        guard let host else { return [] }
        return farms.filter(\.isSite).map { (address: $0.address, link: "\(scheme)://\(host.1):\($0.port)/") }
    }

    /// Returns a duration in words, rounded down.
    static func words(seconds: Int64) -> String {
        func counted(_ number: Int64, _ word: String) -> String { "\(number) \(word)\(number == 1 ? "" : "s")" }
        switch seconds {
        case ..<60: return counted(max(0, seconds), "second")
        case ..<3_600: return counted(seconds / 60, "minute")
        case ..<86_400: return counted(seconds / 3_600, "hour")
        default: return counted(seconds / 86_400, "day")
        }
    }
}

extension DeferredRequests.Entry {
    func write(to json: inout JSONWriter) {
        json.member("id", id)
        json.member("farm", key.farm)
        json.member("target", key.target)
        json.member("requesters", requesters)
        json.member("first", firstAt)
        json.member("state", state.rawValue)
        json.member("status", ifPresent: status)
    }

    fileprivate var words: String {
        switch state {
        case .waiting: requesters == 1 ? "waits for a network" : "waits for a network, \(requesters) requests"
        case .fetched: "fetched"
        case .refused: "the farm refused it (\(status.map { String($0) } ?? ""))"
        case .expired: "given up after 30 days without the farm"
        }
    }
}
