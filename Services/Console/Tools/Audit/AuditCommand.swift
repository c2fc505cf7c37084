import EventBus
import EventSourcing
import JSON

/// `furrow audit`
struct AuditCommand {
    private let farmPaths: FarmPaths
    private let isJSON: Bool
    private let asOf: AsOf?

    init(_ arguments: inout Arguments) throws {
        farmPaths = try FarmPaths(home: arguments.value("--home"))
        isJSON = arguments.flag("--json")
        asOf = try arguments.value("--as-of").map { text throws(Refusal) in try AsOf(text) }
        try arguments.end()
    }

    func run() throws -> Int32 {
        let pull = try JournalPull(farmPaths, damage: .reports)
        let (origins, missing) = try pull.connections.origins()
        guard !origins.isEmpty else { throw Refusal("No service runs in \(farmPaths.home).") }
        var audit = Audit(pull, origins.sorted(), home: farmPaths.home, missing: missing, asOf: asOf)
        try audit.run()
        if isJSON { Terminal.put(json(audit) + [10]) } else { tell(audit) }
        if audit.hasFault { return 1 }
        return audit.missing.isEmpty && !audit.views.isEmpty ? 0 : 3
    }

    private func tell(_ audit: Audit) {
        for journal in audit.journals {
            var verdict = journal.problems.isEmpty ? "chain holds" : "BROKEN"
            if journal.left > 0 { verdict += "; \(journal.left) events of an earlier history are in the hub only" }
            if journal.letGo > 0 { verdict += "; \(journal.letGo) of them were pruned, and only their hashes are left" }
            if journal.unreadable > 0 { verdict += "; \(journal.unreadable) of them cannot be read" }
            if let seals = journal.seals, seals > 0 { verdict += ", \(seals) seals hold" }
            Terminal.say("\(journal.origin): \(journal.events) events, \(verdict)")
            for problem in journal.problems.sentences { Terminal.say("  \(problem)") }
            if let omitted = journal.problems.omitted { Terminal.say("  \(omitted)") }
        }
        if asOf != nil {
            for view in audit.views {
                Terminal.say("\(view.service): \(view.view) had \(view.rows) rows, digest \(view.rebuilt)")
            }
        }
        for view in audit.views where !view.isEqual {
            Terminal.say("\(view.service): table \(view.view) differs from its rebuild (at \(view.position))")
        }
        for broken in audit.broken { Terminal.say("BROKEN: \(broken)") }
        for missing in audit.missing { Terminal.say("MISSING: \(missing)") }
        let equal = audit.views.count { $0.isEqual }
        guard asOf == nil else {
            return Terminal.say("\(audit.views.count) tables rebuilt; \(audit.isOK ? "all is well" : "NOT well")")
        }
        Terminal.say("\(equal) of \(audit.views.count) tables equal; \(audit.isOK ? "all is well" : "NOT well")")
    }

    private func json(_ audit: Audit) -> [UInt8] {
        var json = JSONWriter()
        json.object { json in
            json.field("ok", audit.isOK)
            json.field(
                "journals",
                array: { json in
                    for journal in audit.journals {
                        json.object { json in
                            json.field("origin", journal.origin)
                            json.field("epoch", journal.epoch)
                            json.field("head", journal.head)
                            json.field("events", journal.events)
                            json.field("left", journal.left)
                            json.field("letGo", journal.letGo)
                            json.field("unreadable", journal.unreadable)
                            json.field("seals", raw: Array((journal.seals.map { "\($0)" } ?? "null").utf8))
                            json.field("ok", journal.problems.isEmpty)
                            if let problem = journal.problems.first {
                                json.field("problem", problem)
                            } else {
                                json.field("problem", raw: Array("null".utf8))
                            }
                            json.field("problems", journal.problems.sentences)
                            json.field("problemCount", journal.problems.count)
                        }
                    }
                })
            json.field(
                "views",
                array: { json in
                    for view in audit.views {
                        json.object { json in
                            json.field("service", view.service)
                            json.field("view", view.view)
                            json.field("position", view.position)
                            json.field("rebuilt", view.rebuilt)
                            json.field("rows", view.rows)
                            // No service stores the past, so there is nothing to compare with.
                            json.field("live", ifPresent: view.live)
                            json.field("equal", ifPresent: view.live.map { _ in view.isEqual })
                        }
                    }
                })
            json.field("broken", audit.broken)
            json.field("missing", audit.missing)
        }
        return json.bytes
    }
}
