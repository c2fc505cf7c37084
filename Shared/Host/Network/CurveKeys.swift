import System
import ZeroMQ

/// The keys of one process for CURVE connections over TCP: its own secret key and the public keys of all services.
public struct CurveKeys: Sendable {
    /// The name of the secret key's file in the folder that `FURROW_KEYS` names.
    public static let secretName = "curve"
    /// The name of the file with the key that replaces it at the next rotation.
    public static let nextName = "curve.next"
    static let bytesAtMost = 256

    let publicKey: String
    let secret: String
    let folder: String
    /// The public keys of all services.
    public let list: KeyList

    /// Reads the keys that `FURROW_KEYS` and `FURROW_PUBLIC_KEYS` name. Returns nil if neither is set: then every
    /// socket has to be in a folder. Throws if a key is missing or unreadable.
    public init?(_ settings: Settings) throws(SettingError) {
        guard settings["KEYS"] != nil || settings["PUBLIC_KEYS"] != nil else { return nil }
        let path = "\(try settings.required("KEYS"))/\(Self.secretName)"
        secret = try Self.secret(at: path)
        do throws(ZeroMQError) {
            publicKey = try Curve.publicKey(of: secret)
        } catch {
            throw SettingError(name: "FURROW_KEYS", reason: "has no key at \(path); furrow init writes one")
        }
        folder = try settings.required("PUBLIC_KEYS")
        list = try KeyList(in: folder)
    }

    /// Returns the text of a secret key. Throws if the file is missing or other users may read it.
    public static func secret(at path: String) throws(SettingError) -> String {
        let mode: UInt32
        let bytes: [UInt8]
        do throws(SystemError) {
            mode = try File.mode(path)
            bytes = try File.read(path, limit: bytesAtMost)
        } catch {
            throw SettingError(
                name: "FURROW_KEYS", reason: "cannot be read at \(path) (\(error)); furrow init writes it")
        }
        guard mode & 0o007 == 0 else {
            throw SettingError(
                name: "FURROW_KEYS", reason: "others may read \(path); take that right away: chmod 0400 \(path)")
        }
        let text = String(decoding: bytes, as: UTF8.self)
        return text.hasSuffix("\n") ? String(text.dropLast()) : text
    }

    /// Returns the keys to dial a service. Throws if the service is not listed.
    func client(of service: String) throws(SettingError) -> Curve {
        guard let key = list.serving(service) else {
            throw SettingError(
                name: "FURROW_PUBLIC_KEYS", reason: "\(folder) has no key of \(service); furrow init adds it")
        }
        return .client(serverKey: key, publicKey: publicKey, secretKey: secret)
    }

    /// The keys to listen with.
    var server: Curve { .server(secretKey: secret) }
}

/// The description and the mirror are empty, so that keys do not appear in logs.
extension CurveKeys: CustomStringConvertible, CustomReflectable {
    public var description: String { "keys" }
    /// A mirror without children.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
