import Glibc

/// The reverse proxies whose forwarding headers give the client's address and scheme.
///
/// Any client can send `X-Forwarded-For`; only the entries that a listed proxy appends at the right are trustworthy.
public struct TrustedProxies: Sendable {
    /// An empty list: forwarding headers are ignored.
    public static let none = TrustedProxies(networks: [])
    /// The maximum networks of one list.
    public static let most = 64

    private let networks: [Network]

    private init(networks: [Network]) { self.networks = networks }

    /// Parses `10.0.0.0/8, 192.0.2.7, fd00::/8`; nil unless every part is a numeric address or network.
    public init?(_ list: String) {
        let parts = list.split { $0 == "," || $0 == " " }
        let networks = parts.compactMap { Network(String($0)) }
        guard networks.count == parts.count, parts.count <= Self.most else { return nil }
        self.networks = networks
    }

    /// Returns the client's address and whether it uses TLS, as the trusted proxies report them.
    func caller(at peer: String, isSecure: Bool, _ headers: HTTPHeaders) -> (address: String, isSecure: Bool) {
        guard !networks.isEmpty, trusts(peer) else { return (peer, isSecure) }
        var address = peer
        // From the right: each proxy appends its client's address. Entries beyond the first untrusted one may be
        // forged.
        for entry in Self.entries("X-Forwarded-For", headers).reversed() {
            guard let next = Address(entry) else { break }
            address = next.text
            guard trusts(address) else { break }
        }
        switch Self.entries("X-Forwarded-Proto", headers).last?.lowercased() {
        case "https": return (address, true)
        case "http": return (address, false)
        default: return (address, isSecure)
        }
    }

    func trusts(_ address: String) -> Bool {
        guard !networks.isEmpty else { return false }
        guard let address = Address(address) else { return false }
        return networks.contains { $0.holds(address) }
    }

    private static func entries(_ name: String, _ headers: HTTPHeaders) -> [String] {
        headers.all(name).flatMap { $0.split(separator: ",", omittingEmptySubsequences: false) }.map { entry in
            entry.filter { $0 != " " && $0 != "\t" && $0 != "\"" }
        }
    }
}

/// A numeric address: 4 bytes, or 16.
struct Address {
    let bytes: [UInt8]
    /// The canonical text; an IPv4-mapped address in its IPv4 form.
    let text: String

    /// Parses an address, with or without a port.
    init?(_ written: String) {
        var text = written[...]
        if text.hasPrefix("["), let end = text.firstIndex(of: "]") {
            text = text[text.index(after: text.startIndex)..<end]
        } else if text.contains("."), let colon = text.lastIndex(of: ":"), text.firstIndex(of: ":") == colon {
            text = text[..<colon]
        }
        if text.hasPrefix("::ffff:"), text.contains(".") { text = text.dropFirst(7) }
        text = text.prefix { $0 != "%" }
        let family = text.contains(":") ? AF_INET6 : AF_INET
        var bytes = [UInt8](repeating: 0, count: family == AF_INET6 ? 16 : 4)
        guard unsafe inet_pton(family, String(text), &bytes) == 1 else { return nil }
        self.bytes = bytes
        self.text = String(text)
    }

    /// Creates an address of 4 or 16 bytes.
    init(bytes: [UInt8]) {
        self.bytes = bytes
        let family = bytes.count == 16 ? AF_INET6 : AF_INET
        var text = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
        _ = unsafe inet_ntop(family, bytes, &text, socklen_t(text.count))
        self.text = String(decoding: text.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
    }
}

/// A network in CIDR notation, or a single address.
struct Network {
    private let bytes: [UInt8]
    private let bits: Int

    init?(_ text: String) {
        let halves = text.split(separator: "/", omittingEmptySubsequences: false)
        guard halves.count <= 2, let address = Address(String(halves[0])) else { return nil }
        bytes = address.bytes
        guard halves.count == 2 else {
            bits = bytes.count * 8
            return
        }
        guard let bits = Int(halves[1]), (0...bytes.count * 8).contains(bits) else { return nil }
        self.bits = bits
    }

    func holds(_ address: Address) -> Bool {
        guard address.bytes.count == bytes.count else { return false }
        return (0..<bits).allSatisfy { bit in
            let mask: UInt8 = 0x80 >> UInt8(bit % 8)
            return bytes[bit / 8] & mask == address.bytes[bit / 8] & mask
        }
    }
}
