import HTTP
import Host
import JSON
import Vocabulary

/// The calls of etcd that a lease needs (its JSON gateway, version 3 of the API). Every read is linearizable: it needs
/// a majority of the members.
struct EtcdClient {
    private let client: HTTPClient
    private static let timeoutSeconds = 2.0
    /// The metrics are the largest response, about 100 kB.
    private static let responseBytes = 1 << 20

    /// What must be true of a key for it to be written.
    enum Condition {
        case isAbsent
        case hasValue(String)
    }

    /// - Parameter socket: the path of the socket of this machine's member.
    init(socket: String) {
        client = HTTPClient(unixSocket: socket, maxBodyBytes: Self.responseBytes)
    }

    /// A key's value, and whether it ends with a lease.
    struct Entry {
        let value: String
        let hasLease: Bool
    }

    /// Returns what a key has; nil if it is absent.
    func entry(of key: String) throws -> Entry? {
        let json = try call("kv/range") { $0.field("key", Self.encode(key)) }
        guard let found = try json.find("kvs", as: [JSONValue].self)?.first else { return nil }
        guard let bytes = BaseEncoding.base64.decode(try found.find("value") ?? "") else {
            throw JSONError(message: "expected base64", path: "value")
        }
        let lease: String? = try found.find("lease")
        return Entry(value: String(decoding: bytes, as: UTF8.self), hasLease: lease != nil && lease != "0")
    }

    /// Returns the ID of a new lease.
    func grant(seconds: Int) throws -> String {
        try call("lease/grant") { $0.field("TTL", seconds) }.get("ID")
    }

    /// Returns whether a lease was prolonged; false if it has ended.
    func keepAlive(_ lease: String) throws -> Bool {
        let json = try call("lease/keepalive") { $0.field("ID", lease) }
        let seconds: String? = try json.get("result", as: JSONValue.self).find("TTL")
        return seconds != nil && seconds != "0"
    }

    /// Writes a key if a condition holds. Returns whether it did.
    ///
    /// - Parameter lease: the lease with which the key ends; nil if it stays.
    func put(_ key: String, _ value: String, lease: String?, if condition: Condition) throws -> Bool {
        let json = try call("kv/txn") { json in
            json.field(
                "compare",
                array: { json in
                    json.element(object: { json in
                        json.field("key", Self.encode(key))
                        json.field("result", "EQUAL")
                        switch condition {
                        case .isAbsent:
                            json.field("target", "VERSION")
                            json.field("version", "0")
                        case .hasValue(let value):
                            json.field("target", "VALUE")
                            json.field("value", Self.encode(value))
                        }
                    })
                })
            json.field(
                "success",
                array: { json in
                    json.element(object: { json in
                        json.field(
                            "requestPut",
                            object: { json in
                                json.field("key", Self.encode(key))
                                json.field("value", Self.encode(value))
                                json.field("lease", ifPresent: lease)
                            })
                    })
                })
        }
        return try json.find("succeeded") ?? false
    }

    /// Returns how many other members this machine's is connected with.
    func activePeers() throws -> Int {
        let response = try client.send("GET", "http://etcd/metrics", timeoutSeconds: Self.timeoutSeconds)
        return Self.activePeers(in: String(decoding: response.body, as: UTF8.self))
    }

    /// - Parameter metrics: in the format of Prometheus.
    static func activePeers(in metrics: String) -> Int {
        metrics.split(separator: "\n").count { $0.hasPrefix("etcd_network_active_peers{") && $0.hasSuffix(" 1") }
    }

    private static func encode(_ text: String) -> String { BaseEncoding.base64.encode(Array(text.utf8)) }

    private func call(_ path: String, _ members: (inout JSONWriter) -> Void) throws -> JSONValue {
        var body = JSONWriter()
        body.object(members)
        let response = try client.send(
            "POST", "http://etcd/v3/\(path)", headers: [("Content-Type", "application/json")], body: body.bytes,
            timeoutSeconds: Self.timeoutSeconds)
        guard response.status == 200 else {
            throw Refusal("etcd: \(response.status) \(String(decoding: response.body.prefix(200), as: UTF8.self))")
        }
        return try JSONValue.parse(response.body)
    }
}
