import Events
import Vocabulary

/// Collects evidence that an untrusted reverse proxy or a container's published port is in front of the gateway. All
/// callers then share one network and its limits.
struct ProxyEvidence {
    /// A local address that sent `X-Forwarded-For` without being listed as a trusted proxy.
    private(set) var forwarder: String?
    /// The local address from which the most accounts signed in, and their number.
    private(set) var shared: (address: String, accounts: Int)?
    private var accounts: [String: Set<String>] = [:]

    /// Records an untrusted forwarder if the request came from a local address that is not in `forwarded`.
    ///
    /// - Parameter forwarded: the entries of `X-Forwarded-For`. A request through a trusted proxy has its caller among
    ///   them.
    mutating func see(_ peer: String, forwarded: [String]) {
        guard !forwarded.isEmpty, CallerNetwork.isLocal(peer), !forwarded.contains(where: { $0.contains(peer) }) else {
            return
        }
        forwarder = peer
    }

    /// Records a successful sign-in. Only addresses of a machine itself are counted: loopback, and the first address of
    /// a container network.
    mutating func signedIn(_ person: PersonID, from peer: String) {
        guard CallerNetwork.isLocal(peer), peer == "::1" || peer.hasPrefix("127.") || Self.isContainerHost(peer),
            accounts[peer] != nil || accounts.count < GatewayLimits.proxyAddresses
        else { return }
        guard accounts[peer, default: []].count < GatewayLimits.accountsBehindProxy else { return }
        accounts[peer, default: []].insert(person.rawValue)
        let count = accounts[peer]?.count ?? 0
        if count > shared?.accounts ?? 0 { shared = (peer, count) }
    }

    mutating func forget(_ person: PersonID) {
        for peer in accounts.keys { accounts[peer]?.remove(person.rawValue) }
    }

    private static func isContainerHost(_ peer: String) -> Bool { peer.hasPrefix("172.") && peer.hasSuffix(".0.1") }
}
