/// Where the gateway speaks TLS.
enum HTTPSPort {
    /// Where nobody asks for another.
    static let usual = 8443

    /// The port that was asked for, which has to be free; else the usual one, or any free one in its place. Refused
    /// where the one asked for is taken, or is the one for http.
    ///
    /// - Parameters:
    ///   - environment: says at which address the gateway will listen.
    ///   - ports: where another one is taken from.
    static func choose(
        _ options: RunOptions, in environment: [String: String], from ports: inout FreePorts
    ) throws(Refusal) -> Int {
        let told = ["FURROW_HTTPS_ADDRESS", "FURROW_HTTP_ADDRESS"].compactMap { environment[$0] }
        let address = told.first { !$0.isEmpty } ?? "127.0.0.1"
        guard let asked = options.httpsPort else {
            // Taken: any other will do, since nobody asked for this one.
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
