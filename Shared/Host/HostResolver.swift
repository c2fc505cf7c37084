import Synchronization
public import System

/// Where the hosts are that a process dials, by number. They are looked up on a thread of its own, once a second: a
/// name server that does not answer holds nobody up, and a service that moved is found again.
public final class HostResolver: Sendable {
    private let names: Names
    private let worker: Mutex<Worker?> = Mutex(nil)

    /// - Parameter resolve: every address of a host; the system's resolver unless a test brings its own.
    public init(resolve: @escaping @Sendable (String) -> [String] = HostName.addresses(of:)) throws(SystemError) {
        names = try Names(resolve)
    }

    deinit { names.stop() }

    /// The endpoint with an address in place of a host's name; nil while that is not known.
    public func numeric(_ endpoint: String) throws(SystemError) -> String? {
        guard let name = Self.name(in: endpoint) else { return endpoint }
        guard let addresses = names.addresses(of: name.host) else {
            try start()
            return nil
        }
        return addresses.first.map { "tcp://\($0):\(name.port)" }
    }

    /// The name and the port of `tcp://name:port`; nil for what needs no name server.
    static func name(in endpoint: String) -> (host: String, port: Substring)? {
        guard endpoint.hasPrefix("tcp://"), let colon = endpoint.lastIndex(of: ":") else { return nil }
        let host = endpoint[..<colon].dropFirst(6)
        guard host.contains(where: { $0.isLetter }), !host.hasPrefix("[") else { return nil }
        return (String(host), endpoint[endpoint.index(after: colon)...])
    }

    private func start() throws(SystemError) {
        try worker.withLock { worker throws(SystemError) in
            guard worker == nil else { return names.hurry() }
            let names = names
            worker = try Worker(name: "names") { names.run() }
        }
    }

    /// What the thread shares with those who ask.
    private final class Names: Sendable {
        private struct State {
            /// Nil until it was looked up once.
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

        /// Nil for a host that nobody has asked for before, or that was not found yet.
        func addresses(of host: String) -> [String]? {
            state.withLock { state in
                if let known = state.hosts[host] { return known }
                state.hosts[host] = .some(nil)
                return nil
            }
        }

        func hurry() { event.signal() }

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
                    // An address that was good stays until there is another one: name servers have their moments.
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
