import HTTP
import SQLite
import Sharing
import System
import Telemetry
import Vocabulary

/// The event loop of a node: requests of visitors, responses of farms, and what is due.
struct ProxyNode {
    private struct Arrival: Sendable {
        let farm: Int
        let exchange: HTTPExchange
    }

    private let options: ProxyNodeOptions
    private let log: Logger
    private let signals: SignalWatcher
    private let arrivals: Mailbox<Arrival>
    private let outcomes: Mailbox<Fetcher<FarmJob>.Outcome>
    private let changes: Mailbox<Int>
    private let peerOutcomes: Mailbox<Fetcher<PeerJob>.Outcome>
    private let sealedOutcomes: Mailbox<Fetcher<SealedRelay.Job>.Outcome>
    private var sealed: SealedRelay
    private var network: PeerNetwork
    private var discovery: PeerDiscovery?
    private let servers: [HTTPServer]
    private let api: NodeAPI
    private var content: Content
    private var streams: [LiveStreams]
    private var clock = ClockWatch(real: Clock.realMicroseconds(), boot: Clock.bootMicroseconds())
    private var nextTidying: Int64 = 0

    /// Opens the stores and starts to listen. Throws if the home or a port cannot be used, or another node uses it.
    init(_ options: ProxyNodeOptions, log: Logger) throws {
        self.options = options
        self.log = log
        signals = try SignalWatcher()
        try Directory.create(options.home, mode: 0o700)
        let arrivals = try Mailbox<Arrival>(capacity: NodeLimits.requests)
        let outcomes = try Mailbox<Fetcher<FarmJob>.Outcome>(capacity: SharingLimits.farms * NodeLimits.fetchers)
        let changes = try Mailbox<Int>(capacity: NodeLimits.requests)
        (self.arrivals, self.outcomes, self.changes) = (arrivals, outcomes, changes)
        let client = HTTPClient(caFile: options.authority, maxBodyBytes: NodeLimits.storedBytes)
        content = Content(
            farms: try Self.sources(options, client: client, outcomes: outcomes),
            disk: NodeDisk(
                cache: try ResponseCache(path: options.home + "/cache.db", limit: options.diskBytes),
                deferred: try DeferredRequests(path: options.home + "/deferred.db"), log: log),
            keys: FarmKeys(path: options.home + "/keys.json"), log: log)
        sealedOutcomes = try Mailbox<Fetcher<SealedRelay.Job>.Outcome>(capacity: NodeLimits.sealedFetchers)
        sealed = try SealedRelay(
            farms: options.upstreams, queue: try SealedQueue(path: options.home + "/sealed.db"), client: client,
            outcomes: sealedOutcomes, log: log)
        peerOutcomes = try Mailbox<Fetcher<PeerJob>.Outcome>(capacity: NodeLimits.peerFetchers)
        network = try PeerNetwork(
            node: try NodeIdentity.read(in: options.home), addresses: options.peers,
            client: HTTPClient(maxBodyBytes: NodeLimits.storedBytes), outcomes: peerOutcomes, log: log,
            at: Moment.now.monotonic)
        streams = try options.upstreams.enumerated().map { number, address in
            LiveStreams(source: try FarmStream(farm: number, address: address, client: client, changes: changes))
        }
        let hosts = options.hosts
        servers = try (options.upstreams + options.sites).indices.map { number in
            try HTTPServer(
                address: options.address, port: options.port == 0 ? 0 : options.port + number,
                tls: options.identity, limits: HTTPLimits(maxBodyBytes: NodeLimits.bodyBytes)
            ) { exchange in
                // Where the network's DNS leads a farm's own name to the node, the name identifies the farm.
                let farm = exchange.request.headers["Host"].flatMap { hosts[$0.lowercased()] } ?? number
                guard !arrivals.push(Arrival(farm: farm, exchange: exchange)) else { return }
                exchange.respond(NodeResponses.problem(503, "busy", "This node has too many requests."))
            }
        }
        // A node that serves this machine only, or over TLS, is of no use to others.
        let isShared = options.identity == nil && !options.address.hasPrefix("127.")
        discovery =
            isShared && options.isDiscovering
            ? PeerDiscovery(node: network.list.node, kind: .node, port: servers.first?.port ?? 0, log: log) : nil
        api = NodeAPI(
            farms: zip(options.upstreams + options.sites, servers).enumerated().map { number, served in
                FarmAddress(address: served.0, port: served.1.port, isSite: number >= options.upstreams.count)
            }, scheme: options.identity == nil ? "http" : "https")
    }

    /// Returns the farms and then the sites, whose addresses are checked when a connection is opened.
    private static func sources(
        _ options: ProxyNodeOptions, client: HTTPClient, outcomes: Mailbox<Fetcher<FarmJob>.Outcome>
    ) throws(SystemError) -> [FarmSource] {
        let visitor = HTTPClient(policy: options.sitePolicy, maxBodyBytes: NodeLimits.storedBytes)
        return try (options.upstreams + options.sites).enumerated().map { number, address throws(SystemError) in
            let isSite = number >= options.upstreams.count
            return try FarmSource(
                address: address, isSite: isSite, number: number, client: isSite ? visitor : client, outcomes: outcomes)
        }
    }

    /// Runs until a signal ends it. Throws if the disk cannot be used.
    mutating func run() throws {
        try content.begin(at: .now)
        for farm in api.farms {
            log.notice("listening", ["farm.address": farm.address, "server.port": "\(farm.port)"])
        }
        let descriptors = [
            signals.descriptor, arrivals.descriptor, outcomes.descriptor, changes.descriptor, peerOutcomes.descriptor,
            sealedOutcomes.descriptor,
        ]
        while true {
            let ready = try Poll.wait(
                descriptors + (discovery?.descriptor.map { [$0] } ?? []), milliseconds: content.isWaiting ? 100 : 500)
            var time = Moment.now
            if ready.contains(signals.descriptor), !Set(signals.drain()).isDisjoint(with: [.terminate, .interrupt]) {
                for server in servers { server.stop() }
                try tidy(at: time)
                return
            }
            if let difference = clock.difference(real: time.real, boot: Clock.bootMicroseconds()) {
                try content.noteClock(setByMicroseconds: difference)
            }
            for arrival in arrivals.drain() { try serve(arrival, at: time) }
            for outcome in outcomes.drain() { try content.finish(outcome, at: time) }
            for farm in Set(changes.drain()) {
                streams[farm].noteChange()
                try content.noteChange(of: farm, at: time)
            }
            time = Moment.now
            for outcome in peerOutcomes.drain() {
                switch network.finish(outcome, keys: content.keys, at: time) {
                case .found(let key, let stored, let waiters): try content.adopt(stored, for: key, waiters, at: time)
                case .notFound(let key, let waiters):
                    for exchange in waiters { content.postpone(UnservedRequest(exchange: exchange, key: key)) }
                case nil: break
                }
            }
            for outcome in sealedOutcomes.drain() where try sealed.finish(outcome, at: time) {
                content.noteReached(outcome.job.farm, at: time)
            }
            for request in content.takeUnserved()
            where !network.search(request.key, for: request.exchange, keys: content.keys, at: time.monotonic) {
                content.postpone(request)
            }
            for address in discovery?.tend(at: time.monotonic) ?? [] { network.note(address, at: time.monotonic) }
            network.endRound(at: time.monotonic)
            try content.endRound(at: time)
            let farms = content.farms
            try sealed.endRound({ farms[$0].link.isReachable }, at: time.monotonic)
            for farm in streams.indices {
                // Visitors are notified when the node has stored the change.
                if streams[farm].hasChange, !content.isFetchingChanges(of: farm) { streams[farm].publish() }
                streams[farm].tidy(at: time.monotonic)
            }
            if time.monotonic >= nextTidying { try tidy(at: time) }
        }
    }

    private mutating func serve(_ arrival: Arrival, at time: Moment) throws {
        let (exchange, served) = (arrival.exchange, api.farms[arrival.farm])
        let farm = served.address
        switch NodeRequest(exchange.request, of: farm, isSite: served.isSite) {
        case .fetch(let key): try content.serve(exchange, key, at: time)
        case .live: streams[arrival.farm].add(exchange)
        case .sealed:
            let isReachable = content.farms[arrival.farm].link.isReachable
            try sealed.take(exchange, to: arrival.farm, isReachable: isReachable, at: time)
        case .farmOnly where served.isSite: content.refuse(exchange, NodeResponses.readOnly(farm))
        case .farmOnly: content.refuse(exchange, NodeResponses.farmOnly(farm, for: exchange.request))
        case .unusable:
            let problem = NodeResponses.problem(400, "malformed", "A node does not pass on this address.")
            content.refuse(exchange, problem)
        case .node(let path):
            guard exchange.request.method == "GET" else {
                content.refuse(exchange, NodeResponses.problem(405, "method", "This address takes GET, HEAD."))
                return
            }
            if path.hasPrefix("/sealed/") {
                return exchange.respond(try sealed.response(to: String(path.dropFirst("/sealed/".utf8.count))))
            }
            let isPage = NodeRequest.isPage(exchange.request)
            exchange.respond(
                try api.response(
                    to: exchange.request, path, isPage: isPage, of: arrival.farm, content, network,
                    sealed: sealed.waiting, at: time))
        }
    }

    private mutating func tidy(at time: Moment) throws {
        nextTidying = time.monotonic + NodeLimits.statusMicroseconds
        try content.tidy(at: time)
        try sealed.tidy(at: time)
        discovery?.announce(try api.popular(content), at: time.monotonic)
        // A deferred response may be at a node that was found since.
        for key in try content.missing() where network.lists(key, content.keys) {
            _ = network.search(key, for: nil, listedOnly: true, keys: content.keys, at: time.monotonic)
        }
        let report = try api.report(content, network, sealed: sealed.waiting, time)
        do throws(SystemError) {
            try File.writeAtomically(options.home + "/status.json", report)
        } catch {
            log.error("status not written", ["reason": "\(error)"])
        }
    }
}

/// A farm or another web site of a node, and the port on which the node serves it.
struct FarmAddress: Hashable, Sendable {
    /// Its own address, without a path.
    let address: String
    let port: Int
    var isSite = false
}
