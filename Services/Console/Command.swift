/// Every command of the operator.
enum Command: String, CaseIterable {
    case run
    case status
    case setupLink = "setup-link"
    case scale
    case stop
    case audit
    case replay
    case decode
    case bench
    case simulate
    case benchServe = "bench-serve"

    var synopsis: String {
        switch self {
        case .run: "run [--demo] [--home DIR] [--port N] [--https-port M] [--ingest K] [--clock START*RATE] [--web DIR]"
        case .status: "status [--home DIR] [--json]"
        case .setupLink: "setup-link [--home DIR] [--json]"
        case .scale: "scale --ingest K [--home DIR]"
        case .stop: "stop [--home DIR]"
        case .audit: "audit [--home DIR] [--json]"
        case .replay: "replay --origin O|hub [--from N] [--to N] [--home DIR]"
        case .decode: "decode [--file F] [--bindkey HEX]"
        case .bench:
            "bench append|append-local|replay|rebuild|decode [--events N] [--clients C] [--inflight I] [--size B] [--json]"
        case .simulate: "simulate"
        case .benchServe: "bench-serve"
        }
    }

    var help: String {
        switch self {
        case .run: "Runs Postgres and the services of one farm server until it is stopped."
        case .status: "Tells how each service stands."
        case .setupLink: "Makes a new one-time link for the first administrator; good for 15 minutes."
        case .scale: "Runs more or fewer ingest processes."
        case .stop: "Stops a running farm server; everything acknowledged is on the disk."
        case .audit:
            "Reads every journal, verifies every chain, folds every view anew and compares it with the live tables.\n"
                + "Exit 1 and the place if anything differs, 3 if a service, journal or view is missing."
        case .replay: "Prints stored events as they were written, one a line."
        case .decode:
            "Reads JSON lines {\"format\":\"hci|ad|gatt|znp|zcl\",\"hex\":…} and prints one line for each;\n"
                + "with --file, reads a btsnoop or pcap capture. A line may name its \"bindkey\"; --bindkey is for all others."
        case .bench: "Measures this build on this machine."
        case .simulate: "Plays the simulated farm of a demonstration; started by run --demo."
        case .benchServe: "The measured service; started by bench."
        }
    }

    func run(_ arguments: inout Arguments) throws -> Int32 {
        switch self {
        case .run:
            let options = try RunOptions(&arguments)
            try arguments.end()
            try Supervisor(options).run()
            return 0
        case .status: return try Status(&arguments).run()
        case .setupLink: return try SetupLink(&arguments).run()
        case .scale: return try Orders.scale(&arguments)
        case .stop: return try Orders.stop(&arguments)
        case .audit: return try AuditCommand(&arguments).run()
        case .replay: return try Replay(&arguments).run()
        case .decode: return try DecodeCommand(&arguments).run()
        case .bench: return try BenchCommand(&arguments).run()
        case .simulate: return try Simulation(&arguments).run()
        case .benchServe: BenchService.serve()
        }
    }
}
