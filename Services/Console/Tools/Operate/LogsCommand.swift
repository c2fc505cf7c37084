import Host
import System
import Vocabulary

/// `furrow logs`: prints the logs of the services.
struct LogsCommand {
    private let farmPaths: FarmPaths
    private let service: String?
    private let follows: Bool
    private let since: Instant?
    private let lines: Int
    private let isJSON: Bool

    private static let linesUsually = 200
    /// A hundred years, in seconds.
    private static let longestAgo = 36_525.0 * 86_400

    init(_ arguments: inout Arguments) throws {
        farmPaths = try FarmPaths(home: arguments.value("--home"))
        follows = arguments.flag("--follow")
        isJSON = arguments.flag("--json")
        let response = try arguments.value("--since")
        since = try response.map { try Self.moment($0, now: AdjustableClock.machine) }
        lines = try arguments.number("--lines", 1...1_000_000) ?? (since == nil ? Self.linesUsually : .max)
        service = arguments.word()
        try arguments.end()
    }

    func run() throws -> Int32 {
        try farmPaths.refuseInStack(insteadOf: "logs", command)
        guard Directory.isDirectory(farmPaths.logs) else {
            throw Refusal("Nothing was written in \(farmPaths.logs) yet.")
        }
        var files = LogFiles(folder: farmPaths.logs, service: service)
        let names = try files.names
        guard !names.isEmpty else {
            let all = try LogFiles(folder: farmPaths.logs, service: nil).names
            throw Refusal(
                "There is no log of \(service ?? ""); there is: \(all.joined(separator: ", ")).")
        }
        let first = since.map { String($0.description.prefix(23)) } ?? ""
        let found = try files.read().filter { $0.time >= first }
        guard show(found.suffix(lines)) else { return 0 }
        while follows {
            _ = try Poll.wait([], milliseconds: 250)
            guard show(try files.read()[...]) else { return 0 }
        }
        return 0
    }

    /// The equivalent command of the container engine.
    private var command: String {
        let name = service.map { " \($0.prefix { $0 != "/" })" } ?? ""
        return "logs --timestamps\(follows ? " --follow" : "") --tail \(lines == .max ? "all" : "\(lines)")\(name)"
    }

    /// Returns false if the reader of the output has closed it.
    private func show(_ lines: ArraySlice<LogLine>) -> Bool {
        for line in lines {
            guard Terminal.put(isJSON ? line.bytes + [10] : Array((line.text + "\n").utf8)) else { return false }
        }
        return true
    }

    /// Parses `30m`, `2h`, `1d` or a time.
    static func moment(_ text: String, now: Instant) throws(Refusal) -> Instant {
        if let instant = Instant(text) ?? Instant(text + "T00:00:00Z") { return instant }
        let units: [Character: Double] = ["s": 1, "m": 60, "h": 3600, "d": 86_400]
        guard let unit = text.last.flatMap({ units[$0] }), let count = Double(String(text.dropLast())),
            (0...longestAgo).contains(count * unit)
        else {
            throw Refusal(
                "--since needs 30m, 2h, 1d or a time such as 2026-05-01T06:00:00Z, not \(text).", isMisuse: true)
        }
        return now.advanced(bySeconds: -count * unit)
    }
}
