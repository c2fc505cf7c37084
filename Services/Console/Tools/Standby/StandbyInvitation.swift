import JSON
import System

/// What a second machine needs to become the standby of a farm server: a file that the operator carries there. It is a
/// secret.
struct StandbyInvitation {
    let settings: StandbySettings
    /// The authority of the pair, and its key (PEM).
    let authority: String
    let key: String

    private static let format = "furrow-standby/1"

    init(settings: StandbySettings, authority: String, key: String) {
        self.settings = settings
        self.authority = authority
        self.key = key
    }

    init(path: String) throws {
        let json: JSONValue
        do {
            json = try JSONValue.parse(try File.read(path, limit: 65_536))
        } catch {
            throw Refusal("\(path) cannot be read (\(error)); copy the file that furrow standby allow has written.")
        }
        guard try json.find("format") == Self.format else {
            throw Refusal("\(path) is no invitation; copy the file that furrow standby allow has written.")
        }
        settings = StandbySettings(
            role: .primary, address: try json.get("address"), port: try json.get("port"),
            password: try json.get("password"),
            isSynchronous: try json.find("synchronous") ?? false)
        authority = try json.get("authority")
        key = try json.get("key")
    }

    func write(_ path: String) throws {
        var json = JSONWriter()
        json.object { json in
            json.field("format", Self.format)
            json.field("address", settings.address)
            json.field("port", settings.port)
            json.field("password", settings.password)
            json.field("synchronous", settings.isSynchronous)
            json.field("authority", authority)
            json.field("key", key)
        }
        try File.writeAtomically(path, json.bytes + [10], mode: 0o600)
    }
}
