import System

/// The settings of a service from its environment; each name begins with `FURROW_`.
///
/// ```
/// let settings = try Settings.fromProcess()
/// let port = try settings.number("PORT", in: 1...65_535) ?? 8443
/// ```
public struct Settings: Sendable {
    private let values: [String: String]

    /// Creates settings from environment variables.
    public init(environment: [String: String]) {
        values = environment
    }

    /// Returns the settings of this process. Throws if a file that `NAME_FILE` names cannot be read. Each `NAME` may be
    /// set by such a file, as secrets are mounted; a final LF or CRLF is not part of the value.
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

    /// Works on bytes, because Swift joins CR and LF into one character that is not equal to LF.
    static func value(inFile bytes: [UInt8]) -> String {
        var bytes = bytes
        if bytes.last == UInt8(ascii: "\n") { bytes.removeLast() }
        if bytes.last == UInt8(ascii: "\r") { bytes.removeLast() }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// The value of `FURROW_` and `name`, or nil if it is unset or empty.
    public subscript(_ name: String) -> String? {
        guard let value = values["FURROW_" + name], !value.isEmpty else { return nil }
        return value
    }

    /// Returns the value of a setting. Throws if it is unset or empty.
    public func required(_ name: String) throws(SettingError) -> String {
        guard let value = self[name] else { throw SettingError(name: "FURROW_" + name, reason: "is not set") }
        return value
    }

    /// Returns the number of a setting, or nil if it is unset. Throws if it is not a number in `range`.
    public func number(_ name: String, in range: ClosedRange<Int>) throws(SettingError) -> Int? {
        guard let text = self[name] else { return nil }
        guard let number = Int(text), range.contains(number) else {
            throw SettingError(
                name: "FURROW_" + name, reason: "must be a number from \(range.lowerBound) to \(range.upperBound)")
        }
        return number
    }

    /// Returns the folder of all stored data. Throws if it is not set.
    public func home() throws(SettingError) -> String { try required("HOME") }
    /// Returns the folder of the sockets. Throws if it is not set.
    public func run() throws(SettingError) -> String { try required("RUN") }
    /// The name of the farm server, which is unique among those whose journals may meet.
    public var site: String { self["SITE"] ?? "farm" }

    /// Returns the address at which other processes dial an endpoint of a service.
    ///
    /// `FURROW_ASK_TRACE_LEDGER` and the like set one endpoint. With `FURROW_BUS_PORT` each service is a host of its
    /// own name, and its endpoints have that port and the next ones. Otherwise endpoints are sockets in the run folder.
    public func endpoint(_ kind: EndpointKind, of service: String, slot: Int = 0) throws(SettingError) -> String {
        if let port = try port(of: kind, service) { return "tcp://\(service):\(port)" }
        return try place(of: kind, service, slot)
    }

    /// Returns the address at which a service binds an endpoint of its own.
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

/// The endpoints of a service for other services.
public enum EndpointKind: String, Sendable, CaseIterable {
    /// Commands and queries.
    case ask = "ASK"
    /// Pages of its journals.
    case read = "READ"
    /// Connections of origins that the hub reads; only the hub has it.
    case origins = "ORIGINS"
    /// Connections of services that receive requests over them; only the gateway has it.
    case calls = "CALLS"

    /// The offset of its port from `FURROW_BUS_PORT`.
    var place: Int {
        switch self {
        case .ask: 0
        case .read: 1
        case .origins: 2
        case .calls: 3
        }
    }
}

/// The error of a missing or invalid setting.
public struct SettingError: Error, Equatable, Sendable, CustomStringConvertible {
    /// The name of the environment variable.
    public let name: String
    /// What is wrong and what to do about it.
    public let reason: String

    /// Creates the error of one setting.
    public init(name: String, reason: String) {
        self.name = name
        self.reason = reason
    }

    public var description: String { "\(name) \(reason)" }
}
