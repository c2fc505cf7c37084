import System

/// What a service is told by its environment; each name begins with `FURROW_`.
public struct Settings: Sendable {
    private let values: [String: String]

    public init(environment: [String: String]) {
        values = environment
    }

    /// The settings of this process. For every name a `NAME_FILE` may point to a file with the value instead, as
    /// secrets are mounted; the end of a line there (of Windows, too) is not part of the value.
    public static func fromProcess() throws(SettingError) -> Settings {
        var values = Machine.environment
        for (name, path) in values where name.hasPrefix("FURROW_") && name.hasSuffix("_FILE") {
            let plain = String(name.dropLast(5))
            guard values[plain] ?? "" == "" else { continue }
            do {
                values[plain] = value(inFile: try File.read(path, limit: 65_536))
            } catch {
                throw SettingError(name: name, reason: "cannot read \(path): \(error)")
            }
        }
        return Settings(environment: values)
    }

    /// Bytes and not characters: to Swift the two of a line's end on Windows are one that is no newline.
    static func value(inFile bytes: [UInt8]) -> String {
        var bytes = bytes
        if bytes.last == UInt8(ascii: "\n") { bytes.removeLast() }
        if bytes.last == UInt8(ascii: "\r") { bytes.removeLast() }
        return String(decoding: bytes, as: UTF8.self)
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

    /// Where others find a door of a service.
    ///
    /// `FURROW_ASK_TRACE_LEDGER` and the like name one door. With `FURROW_BUS_PORT` each service is a host of its own
    /// name, and its doors are that port and the next ones. Otherwise doors are sockets in the run folder.
    public func endpoint(_ kind: EndpointKind, of service: String, slot: Int = 0) throws(SettingError) -> String {
        if let port = try port(of: kind, service) { return "tcp://\(service):\(port)" }
        return try place(of: kind, service, slot)
    }

    /// Where a service opens a door of its own.
    public func listening(_ kind: EndpointKind, of service: String, slot: Int = 0) throws(SettingError) -> String {
        if let port = try port(of: kind, service) { return "tcp://0.0.0.0:\(port)" }
        return try place(of: kind, service, slot)
    }

    private func port(of kind: EndpointKind, _ service: String) throws(SettingError) -> Int? {
        guard self[name(of: kind, service)] == nil else { return nil }
        return try number("BUS_PORT", in: 1024...65_000).map { $0 + kind.place }
    }

    private func name(of kind: EndpointKind, _ service: String) -> String {
        "\(kind.rawValue)_\(service.uppercased().replacing("-", with: "_"))"
    }

    private func place(of kind: EndpointKind, _ service: String, _ slot: Int) throws(SettingError) -> String {
        if let endpoint = self[name(of: kind, service)] { return endpoint }
        return "ipc://\(try run())/\(service)-\(slot).\(kind.rawValue.lowercased())"
    }
}

/// The doors of a service for other services.
public enum EndpointKind: String, Sendable, CaseIterable {
    /// Commands and queries.
    case ask = "ASK"
    /// Pages of its journal.
    case read = "READ"
    /// Where origins come to be read; only the hub has it.
    case origins = "ORIGINS"
    /// Where those come that are asked over a connection they made; only the gateway has it.
    case calls = "CALLS"

    /// Its place among the ports of a host.
    var place: Int {
        switch self {
        case .ask: 0
        case .read: 1
        case .origins: 2
        case .calls: 3
        }
    }
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
