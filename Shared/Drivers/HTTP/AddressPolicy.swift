import CCurl

/// The addresses to which a client may connect: public ones over TLS, and those of listed networks.
///
/// It is checked on the address that a host name was resolved to, when the socket is opened. A name that resolves to
/// another address at the next look-up (DNS rebinding) is refused like any other.
public struct AddressPolicy: Sendable {
    /// The maximum networks of one list.
    public static let most = TransferLimits.listedNetworks

    /// Allows public addresses over TLS only.
    public static let publicOnly = AddressPolicy(listed: [])

    private let listed: [Network]

    private init(listed: [Network]) { self.listed = listed }

    /// Parses the listed networks, `10.0.0.0/8, 192.0.2.7, fd00::/8`; nil unless every part is a numeric address or
    /// network.
    public init?(allowing list: String) {
        let parts = list.split { $0 == "," || $0 == " " }
        listed = parts.compactMap { Network(String($0)) }
        guard listed.count == parts.count, parts.count <= Self.most else { return nil }
    }

    /// Returns whether the policy allows connections to a numeric address; false if it is none.
    public func allows(_ address: String, isEncrypted: Bool = true) -> Bool {
        Address(address).map { allows($0, isEncrypted: isEncrypted) } ?? false
    }

    func allows(_ address: Address, isEncrypted: Bool) -> Bool {
        let inner = address.embeddedIPv4 ?? address
        if listed.contains(where: { $0.holds(address) || $0.holds(inner) }) { return true }
        return isEncrypted && inner.isPublic
    }
}

extension Address {
    /// The IPv4 address within an IPv4-mapped address (RFC 4291) or one of NAT64 (RFC 6052); nil for others.
    fileprivate var embeddedIPv4: Address? {
        guard Self.embedding.contains(where: { $0.holds(self) }) else { return nil }
        return Address(bytes: Array(bytes.suffix(4)))
    }

    /// Whether the address belongs to the public internet. Others are special by RFC 6890 and its registries.
    fileprivate var isPublic: Bool {
        guard !Self.special.contains(where: { $0.holds(self) }) else { return false }
        return bytes.count == 4 || Self.globalUnicast.contains { $0.holds(self) }
    }

    private static let embedding = networks(["::ffff:0:0/96", "64:ff9b::/96"])
    private static let globalUnicast = networks(["2000::/3"])
    private static let special = networks([
        // This network, private use, shared by carriers, loopback, link local.
        "0.0.0.0/8", "10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "169.254.0.0/16", "172.16.0.0/12",
        "192.168.0.0/16",
        // Protocol assignments, 6to4 relays, benchmarks, documentation, multicast, reserved and broadcast.
        "192.0.0.0/24", "192.88.99.0/24", "198.18.0.0/15", "192.0.2.0/24", "198.51.100.0/24", "203.0.113.0/24",
        "224.0.0.0/4", "240.0.0.0/4",
        // Protocol assignments with Teredo, documentation, 6to4.
        "2001::/23", "2001:db8::/32", "3fff::/20", "2002::/16",
    ])

    private static func networks(_ texts: [String]) -> [Network] { texts.compactMap { Network($0) } }
}

extension CurlCall {
    /// Lets the call open sockets to addresses of the policy only.
    func restrict(to policy: AddressPolicy, isEncrypted: Bool) {
        sink.policy = (policy, isEncrypted)
        let context = unsafe Unmanaged.passUnretained(sink).toOpaque()
        unsafe sink.gate.pointee = unsafe curl_shim_gate(
            judge: { bytes, count, context in
                guard let context = unsafe context else { return 0 }
                let sink = unsafe Unmanaged<Sink>.fromOpaque(context).takeUnretainedValue()
                return sink.allows(unsafe Array(UnsafeBufferPointer(start: bytes, count: count))) ? 1 : 0
            }, context: context)
        unsafe curl_shim_set_gate(curl, handle, sink.gate)
    }
}

extension CurlCall.Sink {
    fileprivate func allows(_ bytes: [UInt8]) -> Bool {
        guard let policy, !bytes.isEmpty else { return false }
        let address = Address(bytes: bytes)
        guard policy.addresses.allows(address, isEncrypted: policy.isEncrypted) else {
            refused = address.text
            return false
        }
        return true
    }
}
