import Glibc
import Synchronization

/// The open connections by client address, and the rules that prevent one address from using all of them.
///
/// A connection that has not sent a whole request head is half-open. An address over its limit of half-open ones loses
/// its oldest. Another client behind the same address can then still connect: a real request sends its head at once.
/// Trusted proxies are not limited by address; their requests count under the client that they name.
final class ConnectionTable: Sendable {
    private struct Client {
        var open = 0
        /// The half-open connections by number; numbers ascend.
        var halfOpen: [UInt64: Peer] = [:]
        let isLimited: Bool

        mutating func closeOldestHalfOpen() {
            guard let oldest = halfOpen.keys.min(), let peer = halfOpen.removeValue(forKey: oldest) else { return }
            ConnectionTable.close(peer)
        }
    }

    private struct State {
        var clients: [String: Client] = [:]
        var open = 0
        /// Open requests by the client that a trusted proxy names.
        var proxied: [String: Int] = [:]
        var refused = 0
        var replaced = 0
    }

    private let limits: HTTPLimits
    private let state = Mutex(State())

    init(_ limits: HTTPLimits) { self.limits = limits }

    /// Adds a new connection; at a limit, closes it or a half-open one instead.
    func add(_ peer: Peer) {
        let key = Self.key(of: peer.address)
        state.withLock { state in
            var client = state.clients[key] ?? Client(isLimited: !peer.isProxy)
            client.open += 1
            state.open += 1
            let isOver = client.isLimited && client.open > limits.maxPerAddress
            if client.isLimited, client.halfOpen.count >= limits.maxHalfOpenPerAddress {
                client.closeOldestHalfOpen()
                state.replaced += 1
            }
            state.clients[key] = client
            if isOver || !hasPlace(for: peer, &state) {
                Self.close(peer)
                state.refused += 1
            } else {
                state.clients[key]?.halfOpen[peer.id] = peer
            }
        }
    }

    /// Returns whether one more connection fits; when full, closes a half-open one of the address that has most.
    private func hasPlace(for peer: Peer, _ state: inout State) -> Bool {
        let most = limits.maxConnections + (Self.isLocal(peer.address) ? limits.reservedConnections : 0)
        guard state.open > most else { return true }
        let crowd = state.clients.max { $0.value.halfOpen.count < $1.value.halfOpen.count }
        guard let crowd, !crowd.value.halfOpen.isEmpty else { return false }
        state.clients[crowd.key]?.closeOldestHalfOpen()
        state.replaced += 1
        return true
    }

    /// Marks the connection as no longer half-open: its first request head is complete.
    func settle(_ peer: Peer) {
        let key = Self.key(of: peer.address)
        state.withLock { _ = $0.clients[key]?.halfOpen.removeValue(forKey: peer.id) }
    }

    /// Removes a connection that is about to be closed; its socket is not used here afterwards.
    func remove(_ peer: Peer) {
        let key = Self.key(of: peer.address)
        state.withLock { state in
            guard var client = state.clients[key] else { return }
            client.open -= 1
            client.halfOpen[peer.id] = nil
            state.open -= 1
            state.clients[key] = client.open > 0 ? client : nil
        }
    }

    // MARK: Behind a trusted proxy

    /// Counts a request of the client; returns false without counting beyond the limit.
    func beginRequest(of client: String) -> Bool {
        let key = Self.key(of: client)
        return state.withLock { state in
            let count = state.proxied[key, default: 0]
            guard count < limits.maxPerAddress else {
                state.refused += 1
                return false
            }
            state.proxied[key] = count + 1
            return true
        }
    }

    func endRequest(of client: String) {
        let key = Self.key(of: client)
        state.withLock { state in
            let count = state.proxied[key, default: 0] - 1
            state.proxied[key] = count > 0 ? count : nil
        }
    }

    // MARK: For operators

    /// Connections closed by a limit, half-open ones closed for newer ones, and the address with most connections.
    var counts: (refused: Int, replaced: Int, halfOpen: Int, busiest: (address: String, count: Int)?) {
        state.withLock { state in
            let held = state.clients.filter { $0.value.isLimited }.map { ($0.key, $0.value.open) } + state.proxied
            let halfOpen = state.clients.values.reduce(0) { $0 + $1.halfOpen.count }
            let busiest = held.max { $0.1 < $1.1 }.map { (address: $0.0, count: $0.1) }
            return (state.refused, state.replaced, halfOpen, busiest)
        }
    }

    private static func isLocal(_ address: String) -> Bool { address == "::1" || address.hasPrefix("127.") }

    /// Returns the unit of counting: an IPv4 address, or the /64 network of an IPv6 address, which one customer owns
    /// whole.
    static func key(of address: String) -> String {
        guard address.contains(":"), let bytes = Address(address)?.bytes, bytes.count == 16 else { return address }
        let groups = stride(from: 0, to: 8, by: 2).map { String(Int(bytes[$0]) << 8 | Int(bytes[$0 + 1]), radix: 16) }
        return groups.joined(separator: ":") + "::/64"
    }

    private static func close(_ peer: Peer) { shutdown(peer.socket, Int32(SHUT_RDWR)) }
}
