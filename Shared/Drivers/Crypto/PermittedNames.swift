/// The names that an authority may certify: RFC 5280, section 4.2.1.10.
///
/// Staff install the farm's authority on their phones. If its key is stolen, it must serve for no address of the
/// Internet: only for names that are private by definition, and for those that the farm itself had at its creation.
struct PermittedNames {
    /// DNS names for private use; each permits the names below it, too. RFC 6762 (`local`), RFC 8375 (`home.arpa`),
    /// RFC 6761 (`localhost`, `test`), ICANN 2024 (`internal`), and two that routers give and no registry delegates
    /// (`lan`, `home`).
    private static let privateNames = [
        "local", "localhost", "home.arpa", "internal", "test", "lan", "home",
    ]

    /// Private, local and loopback addresses with their masks: RFC 1918, RFC 3927, RFC 6598, RFC 4193, RFC 4291.
    private static let privateAddresses = [
        "10.0.0.0/255.0.0.0", "172.16.0.0/255.240.0.0", "192.168.0.0/255.255.0.0", "169.254.0.0/255.255.0.0",
        "100.64.0.0/255.192.0.0", "127.0.0.0/255.0.0.0", "fc00::/fe00::", "fe80::/ffc0::",
        "::1/ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff",
    ]

    let names: [String]
    let addresses: [String]

    /// In OpenSSL's notation.
    var text: String {
        let own = names.map { $0.hasPrefix("*.") ? String($0.dropFirst(2)) : $0 }
        let exact = addresses.map { address in
            address.contains(":")
                ? "\(address)/ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff" : "\(address)/255.255.255.255"
        }
        let permitted =
            (Self.privateNames + own).map { "permitted;DNS:\($0)" }
            + (Self.privateAddresses + exact).map { "permitted;IP:\($0)" }
        return "critical," + permitted.joined(separator: ",")
    }
}
