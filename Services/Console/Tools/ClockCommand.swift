import EventSourcing
import Host
import JSON
import Vocabulary
import ZeroMQ

/// `furrow clock accept`: the operator declares that the machine's clock is right.
///
/// Every journal begins a new epoch whose recorded times begin now. The trusted time, by which old reports are pruned,
/// also begins again.
struct ClockCommand {
    private let farmPaths: FarmPaths
    private let isJSON: Bool

    init(_ arguments: inout Arguments) throws {
        farmPaths = try FarmPaths(home: arguments.value("--home"))
        isJSON = arguments.flag("--json")
        guard arguments.word() == "accept" else {
            throw Refusal("The command is: furrow clock accept", isMisuse: true)
        }
        try arguments.end()
    }

    func run() throws -> Int32 {
        let context = try Context()
        let connections = try ServiceConnections(farmPaths, context)
        let (live, missing) = try connections.origins()
        guard let first = missing.first else { return try run(connections, live.sorted()) }
        throw Refusal("\(first). Every service must be running, because each begins a new epoch; then try again.")
    }

    /// Queries all services first, so that nothing changes if one of them cannot be reached.
    private func run(_ connections: ServiceConnections, _ origins: [Origin]) throws -> Int32 {
        guard !origins.isEmpty else { throw Refusal("No farm server is running in \(farmPaths.home).") }
        var newest: Instant?
        for origin in origins {
            let told: Instant? = try ask(origin, connections, accepting: false).find("newest")
            newest = [newest, told].compactMap(\.self).max()
        }
        let now = AdjustableClock.machine
        if let newest, newest > now, !isJSON {
            Terminal.say("The newest event was recorded at \(newest), which is after the clock's \(now).")
        }
        var done: [(origin: Origin, answer: JSONValue)] = []
        for origin in origins {
            do {
                done.append((origin, try ask(origin, connections, accepting: true)))
            } catch let refusal as Refusal {
                throw Refusal("\(done.count) of \(origins.count) journals began a new epoch; try again: \(refusal)")
            }
        }
        try say(done, at: now)
        return 0
    }

    private func say(_ done: [(origin: Origin, answer: JSONValue)], at now: Instant) throws {
        guard isJSON else {
            Terminal.say(
                "The clock's \(now) is accepted: \(done.count) journals have begun a new epoch. "
                    + "Nothing is pruned for the next 7 days.")
            return
        }
        var json = JSONWriter()
        try json.object { json in
            json.field("ok", true)
            json.field("now", now)
            try json.field(
                "journals",
                array: { json in
                    for (origin, answer) in done {
                        try json.object { json in
                            json.field("origin", origin)
                            json.field("epoch", try answer.get("epoch", as: Epoch.self))
                            json.field("newestBefore", ifPresent: try answer.find("newest", as: Instant.self))
                        }
                    }
                })
        }
        Terminal.put(json.bytes + [10])
    }

    private func ask(_ origin: Origin, _ connections: ServiceConnections, accepting: Bool) throws -> JSONValue {
        var body = JSONWriter()
        body.object { json in
            json.field("wall", AdjustableClock.machine)
            json.field("accept", accepting)
        }
        let answer = try Console.ask(
            connections.requestClient(of: origin.service, slot: origin.slot), "\(origin)", "host.clock",
            body: body.bytes,
            seconds: 30)
        let json = try JSONValue.parse(answer.body)
        guard answer.status == 200 else { throw Refusal(try json.find("detail") ?? "\(origin): \(answer.status)") }
        return json
    }
}
