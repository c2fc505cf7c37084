/// The port on which the gateway serves HTTPS.
enum HTTPSPort {
    /// The default port.
    static let usual = 8443

    /// Returns the requested port, or the default one if none is requested, or any free one if that is taken.
    ///
    /// Throws `Refusal` if the requested port is taken or is the HTTP port.
    ///
    /// - Parameters:
    /// - environment: gives the address on which the gateway will listen.
    /// - ports: supplies another free port.
    static func choose(
        _ options: RunOptions, in environment: [String: String], from ports: inout FreePorts
    ) throws(Refusal) -> Int {
        let told = ["FURROW_HTTPS_ADDRESS", "FURROW_HTTP_ADDRESS"].compactMap { environment[$0] }
        let address = told.first { !$0.isEmpty } ?? "127.0.0.1"
        guard let asked = options.httpsPort else {
            // The default port is taken: any other will do, because none was requested.
            guard options.port != usual, try FreePorts.isFree(usual, at: address) else {
                return try ports.take(at: address)
            }
            return usual
        }
        guard asked != options.port else {
            throw Refusal("Port \(asked) cannot be both --port and --https-port; choose another for one of them.")
        }
        guard try FreePorts.isFree(asked, at: address) else {
            throw Refusal("Port \(asked) is taken by another program; choose one with --https-port.")
        }
        return asked
    }
}
