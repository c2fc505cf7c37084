import System
import ZeroMQ

/// The keys with which one process meets others over TCP: a secret of its own and everybody's public ones.
public struct CurveKeys: Sendable {
    /// Where a service's secret key lies in the folder that `FURROW_KEYS` names, and the one that comes after it.
    public static let secretName = "curve"
    public static let nextName = "curve.next"
    static let bytesAtMost = 256

    let publicKey: String
    let secret: String
    let folder: String
    public let list: KeyList

    /// Nil where neither `FURROW_KEYS` nor `FURROW_PUBLIC_KEYS` is set: then every socket has to lie in a folder.
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

    /// A secret key's text; refuses one that others on this machine may read.
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

    /// For dialling a service.
    func client(of service: String) throws(SettingError) -> Curve {
        guard let key = list.serving(service) else {
            throw SettingError(
                name: "FURROW_PUBLIC_KEYS", reason: "\(folder) has no key of \(service); furrow init adds it")
        }
        return .client(serverKey: key, publicKey: publicKey, secretKey: secret)
    }

    /// For listening.
    var server: Curve { .server(secretKey: secret) }
}

/// Keys stay out of logs.
extension CurveKeys: CustomStringConvertible, CustomReflectable {
    public var description: String { "keys" }
    public var customMirror: Mirror { Mirror(self, children: []) }
}
