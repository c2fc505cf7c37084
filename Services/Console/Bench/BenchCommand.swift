import System

/// `furrow bench`: measures the performance of this build on this machine.
struct BenchCommand {
    private let options: BenchOptions

    init(_ arguments: inout Arguments) throws {
        options = try BenchOptions(&arguments)
    }

    func run() throws -> Int32 {
        if options.name == .events {
            try LocalBench(options).tell()
            return 0
        }
        for folder in [options.folder, options.run] { try Directory.create(folder, mode: 0o700) }
        defer { clean() }
        if try isLocalFileSystem(options.folder).name == "tmpfs" {
            Terminal.complain("\(options.folder) is in memory, where a sync costs nothing: use --home on a disk.")
        }
        let result =
            switch options.name {
            case .append: try RequestServerBench(options).append()
            case .replay: try RequestServerBench(options).replay()
            case .start: try StartBench(options).run()
            case .appendLocal: try LocalBench(options).append()
            case .appendCluster: try ClusterBench(options).append()
            case .replayCluster: try ClusterBench(options).replay()
            case .parts: try PartsBench(options).run()
            case .ingest: try IngestBench(options).run()
            case .alarm: try AlarmBench(options).run()
            case .rebuild: try LocalBench(options).rebuild()
            case .decode, .events: try DecodeBench(options).run()
            }
        if options.isJSON { Terminal.put(result.json + [10]) } else { Terminal.say(result.text) }
        return 0
    }

    private func clean() {
        do {
            let command = Process.Command("/bin/rm", ["-rf", options.folder, options.run])
            _ = try Process(command).wait(milliseconds: 60_000)
        } catch {
            Terminal.complain("\(options.folder) is left behind: \(error)")
        }
    }

    /// Returns the value of `body` and the seconds that it took.
    static func timed<Value>(_ body: () throws -> Value) throws -> (Value, Double) {
        let began = Clock.monotonicMicroseconds()
        let value = try body()
        return (value, Double(Clock.monotonicMicroseconds() - began) / 1_000_000)
    }
}
