import System

/// The settings of one NATS server of a cluster: three machines, and each message synced before it is acknowledged.
struct ClusterNode {
    private let name: String
    private let address: String
    private let peers: [String]
    private let store: String
    private let password: String

    init(_ arguments: inout Arguments) throws {
        guard let name = try arguments.value("--name"), let address = try arguments.value("--at"),
            let peers = try arguments.value("--peers")
        else {
            throw Refusal("The command is: furrow cluster node --name N --at A --peers A,B,C", isMisuse: true)
        }
        self.name = name
        self.address = address
        self.peers = peers.split(separator: ",").map(String.init)
        store = try arguments.value("--store") ?? "/var/lib/nats"
        password = Machine.environment["FURROW_CLUSTER_PASSWORD"] ?? ""
        // The password is part of addresses, which the server does not compose from its environment.
        guard !password.isEmpty, password.utf8.allSatisfy(Self.isPlain) else {
            throw Refusal("FURROW_CLUSTER_PASSWORD must be set, to letters and digits only.", isMisuse: true)
        }
        guard self.peers.count == 3, self.peers.contains(address) else {
            throw Refusal("--peers are the addresses of three machines, and --at is one of them.", isMisuse: true)
        }
    }

    private static func isPlain(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "a")...UInt8(ascii: "z"):
            true
        default: false
        }
    }

    /// The text of the file, which contains the password.
    var settings: String {
        let routes = peers.map { "\"nats://route:\(password)@\($0):6222\"" }.joined(separator: ", ")
        return """
            # nats-server -c FILE, version 2.15 or later. This file contains a password.
            server_name: "\(name)"
            listen: "\(address):4222"
            # Health, for the machine itself: http://127.0.0.1:8222/healthz
            http: "127.0.0.1:8222"
            max_payload: 1MB

            jetstream {
              store_dir: "\(store)"
              # A message is acknowledged when two of three machines have synced it.
              sync_interval: always
            }

            cluster {
              name: furrow
              listen: "\(address):6222"
              authorization { user: route, password: "\(password)" }
              routes: [\(routes)]
            }

            # The services connect to nats://furrow:PASSWORD@\(address):4222.
            authorization { user: furrow, password: "\(password)" }

            # In a network that others can read, add both of these blocks, and connect to tls:// addresses:
            # tls { cert_file: "…", key_file: "…" }
            # cluster { tls { cert_file: "…", key_file: "…", ca_file: "…" } }
            """
    }
}
