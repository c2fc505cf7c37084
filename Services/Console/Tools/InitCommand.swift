import Crypto
import Host
import JSON
import System
import Vocabulary
import ZeroMQ

/// `furrow init`: creates the secrets of the services, each in a folder that only its service mounts.
///
/// Each folder in `FURROW_KEYS` belongs to a service. Files are written under a temporary name and then renamed, and
/// existing ones stay, so the next run completes an interrupted one.
struct InitCommand {
    /// The database is not a Furrow service: it has a password, which the ledger receives.
    static let database = "postgres"
    static let passwordFile = "password"
    static let conninfoFile = "conninfo"
    /// The time for which the next keys are published before use: services check every second.
    static let noticeMilliseconds = 4000

    private let keys: String
    private let published: String
    private let isRotating: Bool
    private let isJSON: Bool

    init(_ arguments: inout Arguments) throws {
        isRotating = arguments.flag("--rotate")
        isJSON = arguments.flag("--json")
        try arguments.end()
        let settings = try Settings.fromProcess()
        do throws(SettingError) {
            keys = try settings.required("KEYS")
            published = try settings.required("PUBLIC_KEYS")
        } catch {
            throw Refusal("\(error): furrow init needs all keys mounted, as compose does; a single machine needs none.")
        }
    }

    func run() throws -> Int32 {
        let folders = try Directory.list(keys).filter { Directory.isDirectory("\(keys)/\($0)") }
        let services = folders.filter { $0 != Self.database }
        guard !services.isEmpty else { throw Refusal("There is no service's folder in \(keys).") }
        if folders.contains(Self.database) { try makePassword(tellingLedger: services.contains("trace-ledger")) }
        for service in services where !File.exists(path(service, CurveKeys.secretName)) {
            try put(Curve.keyPair().secret, path(service, CurveKeys.secretName))
        }
        if isRotating { try rotate(services) } else { try publish(services) }
        tell(services)
        return 0
    }

    // MARK: Keys

    /// Replaces the services' keys.
    ///
    /// No request is lost: a service that meets an outdated key reconnects, and a caller repeats its request.
    private func rotate(_ services: [String]) throws {
        for service in services where !File.exists(path(service, CurveKeys.nextName)) {
            try put(Curve.keyPair().secret, path(service, CurveKeys.nextName))
        }
        try publish(services)
        _ = try Poll.wait([], milliseconds: Self.noticeMilliseconds)
        var before: [(service: String, key: String)] = []
        for service in services {
            before.append((service, try publicKey(service, CurveKeys.secretName)))
            try put(CurveKeys.secret(at: path(service, CurveKeys.nextName)), path(service, CurveKeys.secretName))
        }
        // Services still use the old keys until they are restarted.
        try publish(services, besides: before)
        for service in services { try File.remove(path(service, CurveKeys.nextName)) }
        _ = try Poll.wait([], milliseconds: Self.noticeMilliseconds)
        try publish(services)
    }

    /// Publishes all current keys, then the next ones, then the retired ones.
    private func publish(_ services: [String], besides leaving: [(service: String, key: String)] = []) throws {
        var list: [(service: String, key: String)] = []
        for service in services { list.append((service, try publicKey(service, CurveKeys.secretName))) }
        for service in services where File.exists(path(service, CurveKeys.nextName)) {
            let next = (service, try publicKey(service, CurveKeys.nextName))
            if !list.contains(where: { $0 == next }) { list.append(next) }
        }
        let text = KeyList(list + leaving).text
        let file = "\(published)/\(KeyList.fileName)"
        if File.exists(file), try File.read(file, limit: 1 << 16) == Array(text.utf8) { return }
        try File.writeAtomically(file, Array(text.utf8), mode: 0o444)
    }

    private func publicKey(_ service: String, _ name: String) throws -> String {
        try Curve.publicKey(of: CurveKeys.secret(at: path(service, name)))
    }

    // MARK: The database

    /// Creates the database's password and, for the ledger, the connection string with it.
    private func makePassword(tellingLedger: Bool) throws {
        let own = path(Self.database, Self.passwordFile)
        if !File.exists(own) { try put(Hex.encode(Random.bytes(24)), own, mode: 0o440) }
        let conninfo = path("trace-ledger", Self.conninfoFile)
        guard tellingLedger, !File.exists(conninfo) else { return }
        try put(Self.conninfo(try CurveKeys.secret(at: own)), conninfo)
    }

    private static func conninfo(_ password: String) -> String {
        "host=\(database) port=5432 dbname=furrow user=furrow password=\(password)"
    }

    /// Replaces the database's password, because the database becomes a copy of another one.
    static func writeDatabasePassword(_ password: String) throws {
        // The settings name files that this is about to write.
        guard let keys = Machine.environment["FURROW_KEYS"] else {
            throw Refusal("FURROW_KEYS is not set; run this in the container operator.")
        }
        try File.writeAtomically("\(keys)/\(database)/\(passwordFile)", Array("\(password)\n".utf8), mode: 0o440)
        try File.writeAtomically(
            "\(keys)/trace-ledger/\(conninfoFile)", Array("\(conninfo(password))\n".utf8), mode: 0o400)
    }

    // MARK: Files

    private func path(_ service: String, _ name: String) -> String { "\(keys)/\(service)/\(name)" }

    private func put(_ text: String, _ path: String, mode: UInt32 = 0o400) throws {
        try File.writeAtomically(path, Array((text + "\n").utf8), mode: mode)
    }

    private func tell(_ services: [String]) {
        if isJSON {
            var json = JSONWriter()
            json.object { json in
                json.field("services", services)
                json.field("rotated", isRotating)
            }
            Terminal.put(json.bytes + [10])
        } else {
            Terminal.say("\(isRotating ? "New keys for" : "Keys exist for") \(services.joined(separator: ", ")).")
        }
    }
}
