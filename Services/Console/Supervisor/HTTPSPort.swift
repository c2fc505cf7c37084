import HTTP

/// Where the gateway speaks TLS.
enum HTTPSPort {
    /// Where nobody asks for another.
    static let usual = 8443

    /// The port that was asked for, which has to be free; else the usual one, or any free one in its place.
    ///
    /// - Parameter environment: says at which address the gateway will listen.
    static func choose(_ options: RunOptions, in environment: [String: String]) throws(Refusal) -> Int {
        let told = ["FURROW_HTTPS_ADDRESS", "FURROW_HTTP_ADDRESS"].compactMap { environment[$0] }
        let address = told.first { !$0.isEmpty } ?? "127.0.0.1"
        guard let asked = options.httpsPort else {
            let usual = options.port == Self.usual ? 0 : Self.usual
            do throws(HTTPError) {
                return try listen(on: usual, at: address)
            } catch {
                // Taken: any other will do, since nobody asked for this one.
            }
            do throws(HTTPError) { return try listen(on: 0, at: address) } catch { throw refusal(error, of: 0) }
        }
        guard asked != options.port else {
            throw Refusal("Port \(asked) cannot be both --port and --https-port; choose another for one of them.")
        }
        do throws(HTTPError) { return try listen(on: asked, at: address) } catch { throw refusal(error, of: asked) }
    }

    /// Listens for a moment; the gateway does so for good soon after.
    private static func listen(on port: Int, at address: String) throws(HTTPError) -> Int {
        let probe = try HTTPServer(address: address, port: port) { _ in }
        defer { probe.stop() }
        return probe.port
    }

    private static func refusal(_ error: HTTPError, of port: Int) -> Refusal {
        guard case .portTaken = error.kind else { return Refusal("https cannot be served: \(error.message).") }
        return Refusal("Port \(port) is taken by another program; choose one with --https-port.")
    }
}
