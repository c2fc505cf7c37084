/// The network under which a caller is counted: a single IPv4 address, or the first 64 bits of an IPv6 address.
///
/// A provider gives each customer at least a /64 (RFC 6177), so one caller owns all of its addresses. IPv4 neighbours
/// may be different customers, so they are counted separately.
enum CallerNetwork {
    /// Returns the name of the network of a numeric address; an address that cannot be parsed is its own network.
    static func of(_ address: String) -> String {
        guard address.contains(":") else { return address }
        guard let groups = groups(of: address) else { return address }
        return groups.prefix(4).map { String($0, radix: 16) }.joined(separator: ":") + "::/64"
    }

    /// Returns the part of an address that may be shown and logged: the IPv4 /24 or the IPv6 /48.
    static func shown(_ address: String) -> String {
        if let groups = groups(of: address) {
            return groups.prefix(3).map { String($0, radix: 16) }.joined(separator: ":") + "::/48"
        }
        let parts = address.split(separator: ".", omittingEmptySubsequences: false)
        return parts.count == 4 ? parts.prefix(3).joined(separator: ".") + ".0/24" : "unknown"
    }

    /// Whether an address belongs to the machine or to private networks, where a reverse proxy or a container host may
    /// run (RFC 1918, RFC 4193, loopback, link-local).
    static func isLocal(_ address: String) -> Bool {
        if let groups = groups(of: address) {
            let first = groups[0]
            return address == "::1" || first & 0xFE00 == 0xFC00 || first & 0xFFC0 == 0xFE80
        }
        let parts = address.split(separator: ".").compactMap { UInt8($0) }
        guard parts.count == 4 else { return false }
        return parts[0] == 127 || parts[0] == 10 || (parts[0] == 192 && parts[1] == 168)
            || (parts[0] == 172 && (16...31).contains(parts[1]))
    }

    /// The eight groups of an IPv6 address (RFC 4291, 2.2); nil for anything else.
    private static func groups(of address: String) -> [UInt16]? {
        let text = address.prefix { $0 != "%" }
        guard text.contains(":") else { return nil }
        let halves = text.split(separator: "::", maxSplits: 1, omittingEmptySubsequences: false)
        func read(_ half: Substring) -> [UInt16]? {
            let parts = half.split(separator: ":")
            let groups = parts.compactMap { UInt16($0, radix: 16) }
            return groups.count == parts.count ? groups : nil
        }
        guard let left = read(halves[0]) else { return nil }
        guard halves.count == 2 else { return left.count == 8 ? left : nil }
        guard let right = read(halves[1]), left.count + right.count < 8 else { return nil }
        return left + [UInt16](repeating: 0, count: 8 - left.count - right.count) + right
    }
}
