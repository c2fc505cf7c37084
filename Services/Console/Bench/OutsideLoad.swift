import System

/// A program that asks in place of `AppendLoad`, as lightly as the peers' own: `Tests/Benchmarks/desk_load.c`.
///
/// It is given the desk's endpoint, a file with a body on each line, clients, asks under way of each, and events; it
/// prints the microseconds from the first ask to the last answer, then those of each event.
struct OutsideLoad {
    private let program: String
    private let server: BenchServer
    private let options: BenchOptions

    init(_ program: String, _ server: BenchServer, _ options: BenchOptions) {
        self.program = program
        self.server = server
        self.options = options
    }

    /// How many seconds all of it may take, and how many bytes it may tell.
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
            throw Refusal("\(program) was not done within \(Self.patience) s.")
        }
        let told = try File.read(answers, limit: Self.toldBytes).split(separator: UInt8(ascii: "\n")).map { line in
            Int64(String(decoding: line, as: UTF8.self))
        }
        let numbers = told.compactMap(\.self)
        guard status == .exited(0), told.count == options.events + 1, numbers.count == told.count else {
            throw Refusal("\(program) did not tell of \(options.events) answers (\(status)).")
        }
        return (Array(numbers.dropFirst()), Double(numbers[0]) / 1_000_000)
    }
}
