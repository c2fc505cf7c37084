import System

/// The log files of a home, read from where the last call ended.
struct LogFiles {
    let folder: String
    /// The service whose lines are selected; nil for all.
    let service: String?
    private var offsets: [String: Int] = [:]
    private var times: [String: String] = [:]

    /// The most bytes of each log that are read from its end.
    static let tailBytes = 16 << 20

    init(folder: String, service: String?) {
        self.folder = folder
        // `sensor-ingest/farm-0` is written to `sensor-ingest-0`.
        let parts = service?.split(separator: "/").map(String.init) ?? []
        if parts.count == 2, let slot = parts[1].split(separator: "-").last {
            self.service = "\(parts[0])-\(slot)"
        } else {
            self.service = service
        }
    }

    /// The names of the selected files, without their suffix.
    var names: [String] {
        get throws {
            try Directory.list(folder).filter { $0.hasSuffix(".log") }.map { String($0.dropLast(4)) }.filter { name in
                guard let service else { return true }
                let rest = name.dropFirst(service.utf8.count)
                return name == service || name.hasPrefix(service) && rest.first == "-" && Int(rest.dropFirst()) != nil
            }
        }
    }

    /// Returns every complete line since the last call, the oldest first.
    mutating func read() throws -> [LogLine] {
        var lines: [LogLine] = []
        for name in try names {
            let path = "\(folder)/\(name).log"
            let size = try File.size(path)
            var start = offsets[name] ?? max(0, size - Self.tailBytes)
            // The file was emptied meanwhile: all of its content is new.
            if start > size { start = 0 }
            // Lines that were moved to the older file come first, as far as the limit allows.
            var bytes: [UInt8] = []
            let older = LogFile(path).older
            if offsets[name] == nil, File.exists(older) {
                bytes = try File.readEnd(older, limit: max(0, Self.tailBytes - size))
            }
            let before = bytes.count
            bytes += try FileReader(path: path, from: start).read(Self.tailBytes)
            let whole = bytes.lastIndex(of: 10).map { $0 + 1 } ?? 0
            offsets[name] = start + max(0, whole - before)
            for line in bytes[..<whole].split(separator: 10) {
                let line = LogLine(Array(line), of: name, before: times[name] ?? "")
                times[name] = line.time
                lines.append(line)
            }
        }
        return lines.enumerated().sorted { ($0.element.time, $0.offset) < ($1.element.time, $1.offset) }.map(\.element)
    }
}
