import System
import ZeroMQ

/// The public keys of all services of one farm server, as `furrow init` publishes them: one service and key per line.
///
/// A service listens with its first key. A client may connect with any of its keys, so that a new key is known
/// everywhere before it is used.
public struct KeyList: Equatable, Sendable {
    /// The name of the file in the folder that `FURROW_PUBLIC_KEYS` names.
    public static let fileName = "services"
    static let bytesAtMost = 65_536

    /// The services and their keys, in the order of the file.
    public let keys: [(service: String, key: String)]

    /// Creates a list of keys.
    public init(_ keys: [(service: String, key: String)]) {
        self.keys = keys
    }

    /// Parses the text of the file. Throws with the line number if a line is not a service and a key.
    public init(_ text: String, path: String) throws(SettingError) {
        var keys: [(service: String, key: String)] = []
        for (index, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated()
        where !line.isEmpty && !line.hasPrefix("#") {
            let words = line.split(separator: " ")
            guard words.count == 2, Curve.isKey(String(words[1])) else {
                throw SettingError(
                    name: "FURROW_PUBLIC_KEYS",
                    reason: "has no service and key in line \(index + 1) of \(path); furrow init writes it anew")
            }
            keys.append((String(words[0]), String(words[1])))
        }
        self.keys = keys
    }

    /// Reads the file in a folder. Throws if it is missing or invalid.
    public init(in folder: String) throws(SettingError) {
        let path = "\(folder)/\(Self.fileName)"
        let text: String
        do throws(SystemError) {
            text = String(decoding: try File.read(path, limit: Self.bytesAtMost), as: UTF8.self)
        } catch {
            throw SettingError(
                name: "FURROW_PUBLIC_KEYS", reason: "cannot be read at \(path) (\(error)); furrow init writes it")
        }
        try self.init(text, path: path)
    }

    /// The text of the file.
    public var text: String { keys.map { "\($0.service) \($0.key)\n" }.joined() }

    /// Returns the key with which a service listens, or nil if it is not listed.
    public func serving(_ service: String) -> String? { keys.first { $0.service == service }?.key }

    /// The key with which each service listens.
    public var serving: [String: String] {
        Dictionary(keys.map { ($0.service, $0.key) }, uniquingKeysWith: { a, _ in a })
    }

    /// The allow-list: the service that each key authenticates.
    public var admitted: [String: String] {
        Dictionary(keys.map { ($0.key, $0.service) }, uniquingKeysWith: { a, _ in a })
    }

    public static func == (one: KeyList, other: KeyList) -> Bool { one.text == other.text }
}
