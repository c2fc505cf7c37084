import Glibc

/// The address of a socket in libzmq's notation.
enum Endpoint {
    /// Returns whether the endpoint needs no name server: `ipc`, `inproc`, or TCP at a numeric address.
    static func isNumeric(_ endpoint: String) -> Bool {
        let scheme = "tcp://"
        guard endpoint.hasPrefix(scheme) else { return true }
        // "tcp://source;target": the part before the semicolon is the local address.
        return endpoint.dropFirst(scheme.count).split(separator: ";", omittingEmptySubsequences: false)
            .allSatisfy(isNumericHost)
    }

    private static func isNumericHost(_ hostAndPort: Substring) -> Bool {
        guard let colon = hostAndPort.lastIndex(of: ":") else { return false }
        var host = hostAndPort[..<colon]
        var parsed = in6_addr()
        if host.hasPrefix("["), host.hasSuffix("]") {
            host = host.dropFirst().dropLast()
            // The zone of a link-local address is an interface, not a host name.
            return unsafe inet_pton(AF_INET6, String(host.prefix { $0 != "%" }), &parsed) == 1
        }
        return unsafe inet_pton(AF_INET, String(host), &parsed) == 1
    }
}
