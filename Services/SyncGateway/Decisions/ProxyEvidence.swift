import Events
import Vocabulary

/// Collects what shows that a reverse proxy or a container's published port stands in front of the gateway without
/// being trusted. Then every caller counts as one network.
struct ProxyEvidence {
    /// An address of this machine or its networks that sent `X-Forwarded-For` without being listed.
    private(set) var forwarder: String?
    /// The address of this machine that the most accounts signed in from, and how many these are.
    private(set) var shared: (address: String, accounts: Int)?
    private var accounts: [String: Set<String>] = [:]

    /// - Parameter forwarded: the entries of `X-Forwarded-For`. A trusted proxy's caller is one of them.
    mutating func see(_ peer: String, forwarded: [String]) {
        guard !forwarded.isEmpty, CallerNetwork.isLocal(peer), !forwarded.contains(where: { $0.contains(peer) }) else {
            return
        }
        forwarder = peer
    }

    /// Notes a successful sign-in. Only addresses that stand for a machine itself are counted: loopback, and the first
    /// address of a container network.
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
