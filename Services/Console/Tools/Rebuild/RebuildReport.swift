import EventSourcing
import EventStore
import Host
import JSON
import System

/// The result of a rebuild, for people and for programs.
struct RebuildReport {
    let instance: ServiceInstance
    let outcome: RebuildOutcome
    let work: RebuildWork
    /// Whether the next start is to use the rebuilt views; with `isAnyway` also if they are not equal.
    let isWanted: Bool
    let isAnyway: Bool

    private var tables: [ViewComparison] {
        if case .compared(_, let tables) = outcome { return tables }
        return []
    }

    /// Whether all tables were compared and none differs unexpectedly.
    private var isSound: Bool {
        if case .compared = outcome { return tables.allSatisfy { $0.verdict != .different } }
        return false
    }

    /// Whether the rebuilt views become those of the next start.
    var isReady: Bool {
        if case .paused = outcome { return false }
        return isWanted && (isSound || isAnyway)
    }

    var code: Int32 { isSound || isReady ? 0 : 1 }

    private var place: (state: String, position: Position) {
        switch outcome {
        case .paused(let position, _): ("paused", position)
        case .compared(let position, _): (isReady ? "ready" : "compared", position)
        case .uncompared(let position, _): (isReady ? "ready" : "uncompared", position)
        }
    }

    var lines: [String] {
        var lines: [String] = []
        if work.events > 0 {
            let pace = Int(Double(work.events + work.foreign) / max(work.seconds, 0.001))
            let others = work.foreign > 0 ? " and \(work.foreign) of others" : ""
            lines.append("\(instance): \(work.events) events\(others) read in \(tenths(work.seconds)) s, \(pace)/s")
        }
        switch outcome {
        case .paused(let position, let goal):
            return lines + ["Paused at \(position) of \(goal). Call again to resume; no event is projected twice."]
        case .uncompared(let position, let live):
            let why = live.map { "the views in use are at \($0)" } ?? "there are no views in use"
            lines.append("Rebuilt up to \(position), but not compared: \(why). Call again once the service is ready.")
        case .compared(let position, let tables):
            let equal = tables.count { $0.verdict == .equal }
            lines.append("Compared at \(position): \(equal) of \(tables.count) tables are equal.")
            for table in tables where table.verdict != .equal { lines.append("  \(table.table): \(words(table))") }
        }
        return lines + [next]
    }

    private func words(_ table: ViewComparison) -> String {
        switch table.verdict {
        case .equal: "equal"
        case .different: "DIFFERENT: the one in use differs from its rebuild"
        case .changed: "has other columns or another version in this build"
        case .added: "new in this build"
        case .gone: "not in this build"
        }
    }

    private var next: String {
        if isReady {
            "The next start of \(instance) uses them. To undo it: furrow rebuild \(instance) --back"
        } else if isWanted {
            "Nothing will be switched. To use the rebuilt ones anyway: --switch --anyway"
        } else {
            "To use them at the next start of \(instance): furrow rebuild \(instance) --switch"
        }
    }

    private func tenths(_ value: Double) -> String {
        let tenths = Int((value * 10).rounded())
        return "\(tenths / 10).\(tenths % 10)"
    }

    var json: [UInt8] {
        var json = JSONWriter()
        json.object { json in
            json.field("service", "\(instance)")
            json.field("state", place.state)
            json.field("ok", code == 0)
            json.field("position", place.position)
            json.field("events", work.events)
            json.field("foreign", work.foreign)
            json.field("seconds", work.seconds)
            json.field("peakRSSBytes", Machine.peakResidentBytes())
            json.field(
                "tables",
                array: { json in
                    for table in tables {
                        json.object { json in
                            json.field("table", table.table)
                            json.field("verdict", table.verdict.rawValue)
                            json.field("rows", table.rows)
                        }
                    }
                })
        }
        return json.bytes
    }
}
