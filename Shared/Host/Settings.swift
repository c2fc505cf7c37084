import System

/// What a service is told by its environment; each name begins with `FURROW_`.
public struct Settings: Sendable {
    private let values: [String: String]

    public init(environment: [String: String]) {
        values = environment
    }

    /// The settings of this process. For every name a `NAME_FILE` may point to a file with the value instead, as
    /// secrets are mounted; a trailing newline there is not part of the value.
    public static func fromProcess() throws(SettingError) -> Settings {
        var values = Machine.environment
        for (name, path) in values where name.hasPrefix("FURROW_") && name.hasSuffix("_FILE") {
            let plain = String(name.dropLast(5))
            guard values[plain] ?? "" == "" else { continue }
            do {
                let text = String(decoding: try File.read(path, limit: 65_536), as: UTF8.self)
                values[plain] = text.hasSuffix("\n") ? String(text.dropLast()) : text
            } catch {
                throw SettingError(name: name, reason: "cannot read \(path): \(error)")
            }
        }
        return Settings(environment: values)
    }

    /// The value, or nil where it is unset or empty.
    public subscript(_ name: String) -> String? {
        guard let value = values["FURROW_" + name], !value.isEmpty else { return nil }
        return value
    }

    public func required(_ name: String) throws(SettingError) -> String {
        guard let value = self[name] else { throw SettingError(name: "FURROW_" + name, reason: "is not set") }
        return value
    }

    public func number(_ name: String, in range: ClosedRange<Int>) throws(SettingError) -> Int? {
        guard let text = self[name] else { return nil }
        guard let number = Int(text), range.contains(number) else {
            throw SettingError(
                name: "FURROW_" + name, reason: "must be a number from \(range.lowerBound) to \(range.upperBound)")
        }
        return number
    }

    /// The folder of everything that is kept.
    public func home() throws(SettingError) -> String { try required("HOME") }
    /// The folder of sockets.
    public func run() throws(SettingError) -> String { try required("RUN") }
    /// Names one farm server among several whose journals may meet.
    public var site: String { self["SITE"] ?? "farm" }

    /// Where a service's desk is, and where its journal is read.
    public func endpoint(_ door: Door, of service: String, slot: Int = 0) throws(SettingError) -> String {
        let name = "\(door.rawValue)_\(service.uppercased().replacing("-", with: "_"))"
        if let endpoint = self[name] { return endpoint }
        return "ipc://\(try run())/\(service)-\(slot).\(door.rawValue.lowercased())"
    }
}

/// The doors of a service for other services.
public enum Door: String, Sendable {
    /// Commands and queries.
    case ask = "ASK"
    /// Pages of its journal.
    case read = "READ"
    /// Where origins come to be read; only the hub has it.
    case origins = "ORIGINS"
}

/// A setting is missing or wrong.
public struct SettingError: Error, Equatable, Sendable, CustomStringConvertible {
    public let name: String
    public let reason: String

    public init(name: String, reason: String) {
        self.name = name
        self.reason = reason
    }

    public var description: String { "\(name) \(reason)" }
}
