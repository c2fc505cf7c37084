import JSON
import System

/// The port on which each service of a home last served its health and metrics.
///
/// External monitoring stores these addresses, so a start uses the same ports again if they are free.
struct OpsPorts: Sendable {
    private let path: String
    private var ports: [String: Int] = [:]

    init(in home: String) {
        path = "\(home)/ports.json"
        do {
            guard let told = try JSONValue.parse(File.read(path, limit: 65_536)).object else { return }
            for (name, port) in told { ports[name] = try port.read() }
        } catch {
            // The file is missing or unreadable: other ports will do.
        }
    }

    mutating func take(for name: String, from free: inout FreePorts) throws -> Int {
        let port = try free.take(preferring: ports[name])
        guard ports[name] != port else { return port }
        ports[name] = port
        var json = JSONWriter()
        json.object { json in
            for (name, port) in ports.sorted(by: { $0.key < $1.key }) { json.field(name, port) }
        }
        try File.writeAtomically(path, json.bytes + [10], mode: 0o600)
        return port
    }
}
