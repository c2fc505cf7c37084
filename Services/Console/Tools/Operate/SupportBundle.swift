import HTTP
import Host
import JSON
import System
import Vocabulary

/// `furrow support-bundle`: writes one text file for a person who helps, without secrets and without names of people.
struct SupportBundle {
    private let farmPaths: FarmPaths
    /// The output file; nil for standard output.
    private let target: String?
    /// Whether logs are read from standard input: in a compose stack, the engine stores them.
    private let readsLogs: Bool
    private let isJSON: Bool

    private static let logLines = 400
    private static let linesRead = 20_000
    /// Settings whose values are neither secret nor personal.
    private static let plainSettings: Set = [
        "FURROW_HOME", "FURROW_RUN", "FURROW_SITE", "FURROW_SLOT", "FURROW_HTTP_PORT", "FURROW_HTTPS_PORT",
        "FURROW_CLOCK",
        "FURROW_OPS_ADDRESS", "FURROW_OPS_PORT",
    ]

    init(_ arguments: inout Arguments) throws {
        farmPaths = try FarmPaths(home: arguments.value("--home"))
        let name = "furrow-support-\(BackupMaking.name(at: AdjustableClock.machine).dropFirst("furrow-".count)).txt"
        let response = try arguments.value("--to") ?? (farmPaths.isStack ? "-" : "\(farmPaths.home)/\(name)")
        target = response == "-" ? nil : response
        readsLogs = arguments.flag("--logs")
        isJSON = arguments.flag("--json")
        try arguments.end()
        guard target?.hasPrefix("/") ?? true else {
            throw Refusal("--to must be a path that begins with a slash, or -, not \(response).", isMisuse: true)
        }
        guard target != nil || !isJSON else {
            throw Refusal("--json reports the path of the file, so it needs --to FILE.", isMisuse: true)
        }
    }

    func run() throws -> Int32 {
        guard Directory.isDirectory(farmPaths.home) else { throw Refusal("There is no home \(farmPaths.home).") }
        try DropPrivileges.ifNeeded(of: farmPaths.home)
        var text = "Furrow, support bundle of \(AdjustableClock.machine)\n"
        text += section("This machine", machine())
        text += section("Settings", settings())
        text += section("Doctor", try doctor())
        text += section("Services", services())
        text += section("Contents of the home", files())
        for (name, lines) in try logs() { text += section("Log of \(name)", lines) }
        guard let target else {
            Terminal.put(Array(text.utf8))
            return 0
        }
        let writer = try FileWriter(path: target)
        try writer.write(Array(text.utf8))
        try writer.synchronize()
        if isJSON {
            var json = JSONWriter()
            json.object { json in
                json.field("file", target)
                json.field("bytes", writer.count)
            }
            Terminal.put(json.bytes + [10])
        } else {
            Terminal.say("Written: \(target) (\(Amount.bytes(UInt64(writer.count)))). Check it, then send it.")
        }
        return 0
    }

    private func section(_ title: String, _ lines: [String]) -> String {
        "\n== \(title)\n" + lines.map { Redaction.redact($0) + "\n" }.joined()
    }

    private func machine() -> [String] {
        var lines: [String] = []
        for path in ["/etc/os-release", "/proc/version", "/proc/meminfo", "/proc/loadavg"] {
            lines += read(path).prefix(8)
        }
        do {
            let space = try DiskSpace(of: farmPaths.home)
            lines.append("disk: \(Amount.bytes(space.free)) free of \(Amount.bytes(space.total))")
            lines.append("file system: \(try isLocalFileSystem(farmPaths.home).name)")
        } catch {
            lines.append("disk: \(error)")
        }
        return lines
    }

    /// The names of all settings, with the values of the harmless ones.
    private func settings() -> [String] {
        Machine.environment.keys.filter { $0.hasPrefix("FURROW_") }.sorted().map { name in
            let value = Self.plainSettings.contains(name) ? Machine.environment[name] ?? "" : Redaction.mark
            return "\(name)=\(value)"
        }
    }

    private func doctor() throws -> [String] {
        try DoctorCommand.look(farmPaths).map { "\($0.state) \($0.check): \($0.said)" }
    }

    private func services() -> [String] {
        do {
            let farm = try FarmStatus(farmPaths)
            var lines: [String] = []
            for service in farm.services {
                lines.append("\(service.origin)\(service.pid.map { " (pid \($0))" } ?? "") \(service.state)")
                lines += service.troubles.map { "  \($0)" }
                lines += service.ops.map(metrics) ?? numbers(of: service)
            }
            return lines + farm.missing.map { "MISSING \($0)" }
        } catch {
            return ["\(error)"]
        }
    }

    private func metrics(at ops: String) -> [String] {
        do {
            let metrics = try HTTPClient().send("GET", "\(ops)/metrics", timeoutSeconds: 3)
            let text = String(decoding: metrics.body, as: UTF8.self)
            return text.split(separator: "\n").filter { !$0.hasPrefix("#") && !$0.contains("_bucket{") }
                .map { "  \($0)" }
        } catch {
            return ["  no metrics: \(error)"]
        }
    }

    /// The numbers of a service's status, where its metrics can only be read within its container.
    private func numbers(of service: FarmStatus.Service) -> [String] {
        ["head", "views", "used", "residentBytes"].compactMap { name in
            service.response?.number(name).map { "  \(name) \($0)" }
        } + service.feeds.map { "  feed \($0.text("feed") ?? "") at \($0.number("position") ?? 0)" }
    }

    /// The names and sizes in the home itself, which are not personal: names of photographs are hashes.
    private func files() -> [String] {
        do {
            return try Directory.list(farmPaths.home).map { name in
                "\(name)  \(Amount.bytes(Directory.usedBytes("\(farmPaths.home)/\(name)")))"
            }
        } catch {
            return ["\(error)"]
        }
    }

    private func logs() throws -> [(name: String, lines: [String])] {
        if readsLogs {
            var lines: [String] = []
            while lines.count < Self.linesRead, let line = readLine() { lines.append(line) }
            return [("all containers", lines)]
        }
        guard Directory.isDirectory(farmPaths.logs) else { return [] }
        return try LogFiles(folder: farmPaths.logs, service: nil).names.map { name in
            var files = LogFiles(folder: farmPaths.logs, service: name)
            return (name, try files.read().filter { $0.source == name }.suffix(Self.logLines).map(\.text))
        }
    }

    private func read(_ path: String) -> [String] {
        do {
            let bytes = try File.read(path, limit: 65_536)
            return String(decoding: bytes, as: UTF8.self).split(separator: "\n").map(String.init)
        } catch {
            return ["\(path): \(error)"]
        }
    }
}
