/// The address of an MQTT broker.
struct BrokerAddress: Equatable {
    let authority: String
    let isSecure: Bool

    /// Reads `mqtt://host`, `mqtts://host:port`; nil for anything else, also with a user or a path.
    init?(_ text: String) {
        guard let end = text.firstRange(of: "://") else { return nil }
        let scheme = text[..<end.lowerBound]
        var host = text[end.upperBound...]
        if host.hasSuffix("/") { host.removeLast() }
        guard scheme == "mqtt" || scheme == "mqtts", !host.isEmpty, host.utf8.count <= 255,
            host.utf8.allSatisfy({ $0 > 32 && $0 < 127 && !"/@?#".utf8.contains($0) })
        else { return nil }
        isSecure = scheme == "mqtts"
        let hasPort = host.hasPrefix("[") ? host.contains("]:") : host.contains(":")
        authority = hasPort ? String(host) : "\(host):\(isSecure ? 8883 : 1883)"
    }
}
