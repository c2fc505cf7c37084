import EventSourcing
import EventStore
import Events
import TestKit
import Testing
import Vocabulary
import Wire

@testable import Host

/// Events that follow from the tables before a commit.
@Suite("Consequences")
struct ConsequencesTests {
    private func runtime(_ service: Owing) throws -> ServiceRuntime<Owing> {
        let log = try MemoryLog(feed: "owing/farm-0", why: "test", at: Instant(microseconds: 0), chance: .seeded(1))
        return ServiceRuntime(
            service: service, log: log, tables: try MemoryTables(Folding<Owing>.schemas))
    }

    @Test func `what follows is in the commit of its cause, until nothing follows any more`() throws {
        let runtime = try runtime(Owing(reason: "counted"))
        let (now, start) = (Instant(microseconds: 1), runtime.log.head.position)
        try runtime.take(.opened(source: "three"), at: now)
        #expect(runtime.log.head.position == start + 1, "nothing follows before the commit")
        _ = try runtime.commit()
        #expect(runtime.log.head.position == start + 4, "three boxes, one after the other")
        _ = try runtime.commit()
        #expect(runtime.log.head.position == start + 4)
    }

    @Test func `a consequence that cannot be recorded is tried once for each commit and reported`() throws {
        let runtime = try runtime(Owing(reason: String(repeating: "x", count: 5_000_000)))
        let (now, start) = (Instant(microseconds: 1), runtime.log.head.position)
        for commit in 1...3 {
            try runtime.take(.opened(source: "three"), at: now)
            let notes = try runtime.commit().filter { effect in
                if case .note(let event) = effect { event.name == "appends_refused" } else { false }
            }
            #expect(notes.count == 1)
            #expect(runtime.log.head.position == start + Position(commit), "the cause is recorded")
        }
    }

    @Test func `a start records no consequences while nothing can be recorded`() throws {
        let runtime = try runtime(Owing(reason: "counted", owed: 1))
        let start = runtime.log.head.position
        runtime.refusal = Problem(507, "disk-full", "The disk is full.")
        try runtime.take(.ticked(wall: Instant(microseconds: 1)), at: Instant(microseconds: 1))
        _ = try runtime.commit()
        #expect(runtime.log.head.position == start)
        runtime.refusal = nil
        _ = try runtime.commit()
        #expect(runtime.log.head.position == start + 1)
    }
}

/// A service that counts boxes down to none: each event makes another one follow.
private struct Owing: Service {
    static let name = "owing"
    static let tables = [BoxesRow.schema]

    let reason: String
    /// Boxes that are owed at the start.
    var owed = 0

    static func fold(_ recorded: RecordedEvent, into tables: some Tables) {
        switch recorded.fact {
        case .catalog(.stockSet(let event)): tables.put(BoxesRow(boxes: event.boxes))
        case .catalog(.stockAdjusted(let event)):
            let before = tables.get(BoxesRow.self, BoxesRow.only)?.boxes ?? 1
            tables.put(BoxesRow(boxes: before + event.by))
        default: break
        }
    }

    func step(_ input: Input, at now: Instant, seeing tables: any Tables) -> [Effect] {
        guard case .opened = input else { return [] }
        return [.append([Draft(StockSet(lot: LotID("L1"), boxes: 3), in: "stock", by: .service(Self.name))])]
    }

    func consequences(seeing tables: any Tables) -> [Draft] {
        guard tables.get(BoxesRow.self, BoxesRow.only)?.boxes ?? owed > 0 else { return [] }
        return [Draft(StockAdjusted(lot: LotID("L1"), by: -1, reason: reason), in: "stock", by: .service(Self.name))]
    }
}

private struct BoxesRow: TableRow {
    static let schema = TableSchema("boxes", [("boxes", .integer)])
    static let only = "boxes"

    let key = Self.only
    let boxes: Int

    init(boxes: Int) { self.boxes = boxes }

    init(key: String, cells: [Cell]) throws(RowDecodingError) {
        var cells = try CellReader(Self.schema, key, cells)
        boxes = try cells.int()
    }

    var cells: [Cell] { [.integer(Int64(boxes))] }
}
