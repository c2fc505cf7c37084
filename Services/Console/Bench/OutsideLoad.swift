import System

/// An external load program in place of `AppendLoad`, as light as the peers' own: `Tests/Benchmarks/desk_load.c`.
///
/// Its arguments are the request server's endpoint, a file with one body per line, and the numbers of clients, of
/// requests under way per client, and of events. It prints the microseconds from the first request to the last
/// response, then those of each event.
struct OutsideLoad {
    private let program: String
    private let server: BenchServer
    private let options: BenchOptions

    init(_ program: String, _ server: BenchServer, _ options: BenchOptions) {
        self.program = program
        self.server = server
        self.options = options
    }

    /// The longest duration in seconds, and the largest output in bytes.
    private static let patience = 3600
    private static let toldBytes = 1 << 30

    func run() throws -> AppendLoad.Answered {
        let (bodies, answers) = ("\(options.folder)/bodies", "\(options.folder)/answers")
        let source = BenchEvents(size: options.size)
        let lines = (0..<min(options.events, BenchEvents.day)).flatMap { source.body($0) + [UInt8(ascii: "\n")] }
        try File.writeAtomically(bodies, lines)
        var command = Process.Command(
            program, [server.ask, bodies, "\(options.clients)", "\(options.inflight)", "\(options.events)"])
        command.output = .file(answers)
        command.error = .descriptor(2)
        let process = try Process(command)
        guard let status = try process.wait(milliseconds: Self.patience * 1000) else {
            throw Refusal("\(program) did not finish within \(Self.patience) s.")
        }
        let told = try File.read(answers, limit: Self.toldBytes).split(separator: UInt8(ascii: "\n")).map { line in
            Int64(String(decoding: line, as: UTF8.self))
        }
        let numbers = told.compactMap(\.self)
        guard status == .exited(0), told.count == options.events + 1, numbers.count == told.count else {
            throw Refusal("\(program) did not print \(options.events) latencies (\(status)).")
        }
        return (Array(numbers.dropFirst()), Double(numbers[0]) / 1_000_000)
    }
}
