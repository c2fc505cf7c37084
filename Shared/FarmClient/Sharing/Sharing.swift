import HTTP
import SQLite
import Sharing
import Synchronization
import System
import Telemetry
import Vocabulary
import Wire

/// Sharing with others in the same network, and finding there what the farm cannot be asked for.
///
/// A source is used in this order, each with a deadline: the farm, a node, this device, another client. Others serve
/// what every visitor may read: records, stories, keys and pictures. It is accepted if the farm has signed it (RFC
/// 9421), or is a picture that has its SHA-256 as its name. One that sends anything else is avoided for a while.
extension FarmClient {
    /// Serves to others what this device has, and looks for others, until the task is cancelled.
    ///
    /// Only public content is served; it contains nothing about the person. `SharingOptions.address` says in which
    /// network.
    ///
    /// - Parameter onStart: called with the port once it listens.
    /// - Throws: `misuse` if the client was opened without sharing, or if it cannot listen there.
    public func share(onStart: @Sendable (Int) -> Void = { _ in }) async throws(FarmClientError) {
        let neighbours = try sharing()
        let responses = SharedResponses(
            neighbours: neighbours, picture: { [weak self] in self?.storedPicture($0) },
            pictures: { [weak self] in self?.storedPictures() ?? [] })
        let port = Mutex(0)
        let server: HTTPServer
        do throws(HTTPError) {
            server = try HTTPServer(
                address: neighbours.options.address, port: neighbours.options.port,
                limits: HTTPLimits(maxBodyBytes: 0, maxConnections: ClientLimits.sharedConnections)
            ) { exchange in
                exchange.respond(responses.response(to: exchange.request, port: port.withLock { $0 }))
            }
        } catch {
            throw FarmClientError(.misuse, "Nothing can be shared at this address: \(error.message)")
        }
        defer { server.stop() }
        port.withLock { $0 = server.port }
        onStart(server.port)
        let discovery = Mutex(
            neighbours.options.isDiscovering
                ? PeerDiscovery(
                    node: neighbours.identifier, kind: .client, port: server.port,
                    log: Logger(service: "farm-client", level: .warning)) : nil)
        while !Task.isCancelled {
            try await calls.apart { () throws(FarmClientError) in
                let found = discovery.withLock { discovery in
                    discovery?.announce(responses.popular, at: Clock.monotonicMicroseconds())
                    return discovery?.tend(at: Clock.monotonicMicroseconds()) ?? []
                }
                for address in found { neighbours.note(address) }
                neighbours.refresh()
                neighbours.tidy()
            }
            await rest(ClientLimits.discoverySeconds)
        }
    }

    /// Returns the nodes and clients in this network, and what each has of this farm.
    public func neighbours() throws(FarmClientError) -> [Neighbour] { try sharing().all }

    /// Requests again, from the named neighbours and those found, what each has. `share` does so by itself.
    public func findNeighbours() async throws(FarmClientError) {
        let neighbours = try sharing()
        try await calls.apart { () throws(FarmClientError) in neighbours.refresh() }
    }

    /// Returns something that a neighbour has, verified: from a node, this device, or another client.
    ///
    /// - Parameter target: path and query, as a neighbour lists it.
    /// - Throws: `missing` if none of them has it; `misuse` for what is not shared.
    public func content(_ target: String) async throws(FarmClientError) -> SharedContent {
        let neighbours = try sharing()
        guard neighbours.cacheKey(target).isShared else {
            throw FarmClientError(.misuse, "This is not among what is shared.")
        }
        if let found = await elsewhere(target, .node) { return found }
        if let stored = neighbours.stored(target) { return SharedContent(stored, from: .device) }
        if let found = await elsewhere(target, .client) { return found }
        throw FarmClientError(.missing, "No node or client in this network has it.")
    }

    // MARK: Internal

    private func sharing() throws(FarmClientError) -> Neighbours {
        guard let shared else { throw FarmClientError(.misuse, "This client was opened without sharing.") }
        return shared
    }

    /// Returns a public response from nodes or clients; nil if none has it, or nothing is shared.
    func elsewhere(_ target: String, _ kind: PeerKind) async -> SharedContent? {
        guard let shared else { return nil }
        do throws(FarmClientError) {
            return try await calls.apart { () throws(FarmClientError) in shared.find(target, from: kind) }
        } catch {
            return nil
        }
    }

    /// Requests something public from the farm, and stores it for others. It does not wait for a farm that was not
    /// reached a moment ago if others are here; blocks.
    func visit(_ target: String) throws(FarmClientError) -> HTTPResponse {
        guard let shared else { return try server.send("GET", target) }
        guard !shared.isFarmAway else { throw FarmClientError(.unreachable, "The farm server was not reached.") }
        do throws(FarmClientError) {
            let response = try server.send("GET", target, isSigned: true, seconds: ClientLimits.sharingSeconds)
            shared.noteFarm(isReached: true)
            learnKey(shared)
            if response.status == 200 { shared.keep(response, as: target) }
            return response
        } catch {
            if error.code == .unreachable { shared.noteFarm(isReached: false) }
            throw error
        }
    }

    /// Learns the keys by which the farm signs, and by which others can write to it, from the farm itself.
    func learnKey(_ shared: Neighbours) {
        guard shared.key == nil else { return }
        do throws(FarmClientError) {
            let response = try Server.accepted(try server.send("GET", PublisherKey.target))
            guard let key = PublisherKey.read(response.body) else { return }
            shared.key = key
            let sealing = try Server.accepted(try server.send("GET", ObliviousHTTP.path)).body
            shared.takeSealingKey(sealing)
            try kept { keep throws(SQLiteError) in
                try keep.put(.publisherKey, BaseEncoding.base64url.encode(key))
                try keep.put(.sealingKey, BaseEncoding.base64url.encode(sealing))
            }
        } catch {
            // It is requested again with the next response of the farm.
        }
    }

    private func storedPicture(_ name: String) -> [UInt8]? {
        do throws(FarmClientError) {
            return try kept { keep throws(SQLiteError) in try keep.picture(name) }
        } catch {
            return nil
        }
    }

    private func storedPictures() -> [String] {
        do throws(FarmClientError) {
            return try kept { keep throws(SQLiteError) in try keep.pictures() }
        } catch {
            return []
        }
    }
}
