import JSON
import System

/// What another machine needs to become the standby of a farm server, or to vote: a file that the operator carries
/// there. It is a secret.
struct StandbyInvitation {
    let settings: StandbySettings
    /// The authority of the pair, and its key (PEM).
    let authority: String
    let key: String
    /// The password of the farm's database, which a copy of it has, too; nil outside of containers.
    let databasePassword: String?

    private static let format = "furrow-standby/1"

    /// - Parameter settings: those of the farm server; without its password if the role is `vote`.
    init(settings: StandbySettings, authority: String, key: String, databasePassword: String? = nil) {
        self.settings = settings
        self.authority = authority
        self.key = key
        self.databasePassword = databasePassword
    }

    /// The name that stands for the standard input or output in place of a file's.
    static let standardStream = "-"

    init(path: String) throws {
        let json: JSONValue
        do {
            json = try JSONValue.parse(
                try File.read(path == Self.standardStream ? "/dev/stdin" : path, limit: 65_536))
        } catch {
            throw Refusal("\(path) cannot be read (\(error)); copy the file that furrow standby allow has written.")
        }
        guard try json.find("format") == Self.format else {
            throw Refusal("\(path) is no invitation; copy the file that furrow standby allow has written.")
        }
        settings = StandbySettings(
            role: try json.find("password", as: String.self) == nil ? .vote : .primary,
            address: try json.get("address"), port: try json.get("port"),
            password: try json.find("password") ?? "", isSynchronous: try json.find("synchronous") ?? false,
            votes: try json.find("votes") ?? [])
        authority = try json.get("authority")
        key = try json.get("key")
        databasePassword = try json.find("databasePassword")
    }

    func write(_ path: String) throws {
        var json = JSONWriter()
        json.object { json in
            json.field("format", Self.format)
            json.field("address", settings.address)
            json.field("port", settings.port)
            if settings.role != .vote { json.field("password", settings.password) }
            json.field("synchronous", settings.isSynchronous)
            json.field("votes", settings.votes)
            json.field("authority", authority)
            json.field("key", key)
            json.field("databasePassword", ifPresent: databasePassword)
        }
        guard path != Self.standardStream else {
            Terminal.put(json.bytes + [10])
            return
        }
        try File.writeAtomically(path, json.bytes + [10], mode: 0o600)
    }
}
