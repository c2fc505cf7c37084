import Synchronization
public import System

/// Resolves the names of the hosts that a process dials, on a thread of its own, once a second. A name server that does
/// not respond therefore blocks no caller, and a service that moved is found again.
public final class HostResolver: Sendable {
    private let names: Names
    private let worker: Mutex<Worker?> = Mutex(nil)

    /// - Parameter resolve: returns all addresses of a host; the default is the system's resolver.
    public init(resolve: @escaping @Sendable (String) -> [String] = HostName.addresses(of:)) throws(SystemError) {
        names = try Names(resolve)
    }

    deinit { names.stop() }

    /// Returns the endpoint with an address in place of the host's name, or nil while that is not known.
    public func numeric(_ endpoint: String) throws(SystemError) -> String? {
        guard let name = Self.name(in: endpoint) else { return endpoint }
        guard let addresses = names.addresses(of: name.host) else {
            try start()
            return nil
        }
        return addresses.first.map { "tcp://\($0):\(name.port)" }
    }

    /// Returns the name and the port of `tcp://name:port`, or nil if the endpoint needs no name server.
    static func name(in endpoint: String) -> (host: String, port: Substring)? {
        guard endpoint.hasPrefix("tcp://"), let colon = endpoint.lastIndex(of: ":") else { return nil }
        let host = endpoint[..<colon].dropFirst(6)
        guard host.contains(where: { $0.isLetter }), !host.hasPrefix("[") else { return nil }
        return (String(host), endpoint[endpoint.index(after: colon)...])
    }

    private func start() throws(SystemError) {
        try worker.withLock { worker throws(SystemError) in
            guard worker == nil else { return names.wake() }
            let names = names
            worker = try Worker(name: "names") { names.run() }
        }
    }

    /// The state that the resolver's thread shares with callers.
    private final class Names: Sendable {
        private struct State {
            /// Nil until the name was resolved once.
            var hosts: [String: [String]?] = [:]
            var isStopping = false
        }

        private let state = Mutex(State())
        private let event: EventFD
        private let resolve: @Sendable (String) -> [String]

        init(_ resolve: @escaping @Sendable (String) -> [String]) throws(SystemError) {
            event = try EventFD()
            self.resolve = resolve
        }

        /// Returns nil for a host that was not requested before, or not found yet.
        func addresses(of host: String) -> [String]? {
            state.withLock { state in
                if let known = state.hosts[host] { return known }
                state.hosts[host] = .some(nil)
                return nil
            }
        }

        func wake() { event.signal() }

        func stop() {
            state.withLock { $0.isStopping = true }
            event.signal()
        }

        func run() {
            while true {
                let (hosts, isStopping) = state.withLock { (Array($0.hosts.keys), $0.isStopping) }
                if isStopping { return }
                for host in hosts {
                    let found = resolve(host)
                    // A known address is used until another one is found, because name servers fail now and then.
                    guard !found.isEmpty else { continue }
                    state.withLock { state in
                        let before = state.hosts[host].flatMap(\.self) ?? []
                        let kept = before.filter { found.contains($0) }
                        state.hosts[host] = kept + found.filter { !kept.contains($0) }
                    }
                }
                do throws(SystemError) { _ = try Poll.wait([event.descriptor], milliseconds: 1000) } catch { return }
                event.drain()
            }
        }
    }
}
