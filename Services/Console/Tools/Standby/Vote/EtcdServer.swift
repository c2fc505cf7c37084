import Crypto
import Host
import System
import Vocabulary

/// One of the three members of an etcd cluster, which decides which machine of a pair runs the farm.
///
/// It listens for the other members over TLS, with certificates of the pair, and for this machine on a socket in the
/// run folder only.
struct EtcdServer {
    let farmPaths: FarmPaths
    let settings: StandbySettings

    private static let program = "/usr/bin/etcd"
    /// etcd creates its socket in the working directory, under a name in the form of an address.
    private static let socketName = "etcd:0"

    /// The socket on which it answers this machine.
    static func socket(_ farmPaths: FarmPaths) -> String { "\(farmPaths.run)/\(socketName)" }

    /// Throws `Refusal` unless etcd is installed.
    static func checkInstalled() throws(Refusal) {
        guard File.exists(program) else { throw Refusal("etcd is not installed: apt-get install etcd-server") }
    }

    func child() throws -> Child {
        let folder = StandbyFolder(farmPaths)
        let own = Self.peerAddress(settings.address, settings)
        let cluster = settings.votes.map { "\($0)=\(Self.peerAddress($0, settings))" }.joined(separator: ",")
        let authority = try File.read(folder.authority, limit: CryptoLimits.documentBytes)
        var command = Process.Command(
            Self.program,
            [
                "--name", settings.address, "--data-dir", folder.votes,
                "--listen-client-urls", "unix://\(Self.socketName)",
                "--advertise-client-urls", "unix://\(Self.socketName)",
                "--listen-peer-urls", own, "--initial-advertise-peer-urls", own, "--initial-cluster", cluster,
                // Members of an earlier pair do not mix with these.
                "--initial-cluster-token", Hex.encode(SHA256.hash(authority).prefix(8)),
                "--peer-client-cert-auth", "--peer-trusted-ca-file", folder.authority,
                "--peer-cert-file", folder.certificate, "--peer-key-file", folder.key,
                "--auto-compaction-retention", "1h", "--logger", "zap", "--log-level", "warn",
            ], environment: Machine.environment)
        command.output = .file("\(farmPaths.logs)/etcd.log")
        command.error = .file("\(farmPaths.logs)/etcd.log")
        command.workingDirectory = farmPaths.run
        return Child("etcd", command)
    }

    private static func peerAddress(_ address: String, _ settings: StandbySettings) -> String {
        "https://\(address.contains(":") ? "[\(address)]" : address):\(settings.votePort)"
    }
}
