import Glibc

/// Where a socket can be met, as libzmq spells it.
enum Endpoint {
    /// Whether the endpoint needs no name server: any `ipc` or `inproc` one, or TCP at a numeric address.
    static func isNumeric(_ endpoint: String) -> Bool {
        let scheme = "tcp://"
        guard endpoint.hasPrefix(scheme) else { return true }
        // "tcp://source;target": what lies before the semicolon is ours and is an address, too.
        return endpoint.dropFirst(scheme.count).split(separator: ";", omittingEmptySubsequences: false)
            .allSatisfy(isNumericHost)
    }

    private static func isNumericHost(_ hostAndPort: Substring) -> Bool {
        guard let colon = hostAndPort.lastIndex(of: ":") else { return false }
        var host = hostAndPort[..<colon]
        var parsed = in6_addr()
        if host.hasPrefix("["), host.hasSuffix("]") {
            host = host.dropFirst().dropLast()
            // The zone of a link-local address is an interface, not a name to look up.
            return unsafe inet_pton(AF_INET6, String(host.prefix { $0 != "%" }), &parsed) == 1
        }
        return unsafe inet_pton(AF_INET, String(host), &parsed) == 1
    }
}
