import EventSourcing
import Events
import Host
import Vocabulary

@testable import TraceLedger

/// A mutant of the ledger's projection, which removes too little when reports are pruned.
protocol MutantLedger: Service {
    static func forget(_ event: JournalPruned, in tables: some Tables)
}

extension MutantLedger {
    static var name: String { TraceLedger.name }
    static var tables: [TableSchema] { TraceLedger.tables }

    static func fold(_ told: RecordedEvent, into tables: some Tables) {
        guard case .journal(.journalPruned(let event)) = told.fact else { return TraceLedger.fold(told, into: tables) }
        forget(event, in: tables)
    }

    mutating func step(_ input: Input, at now: Instant, seeing tables: any Tables) -> [Effect] { [] }
}

struct MutantRetainsHours: MutantLedger {
    static func forget(_ event: JournalPruned, in tables: some Tables) {
        PruneProjection(event)?.removeSamples(tables)
        PruneProjection(event)?.removeLatest(tables)
        PruneProjection(event)?.removeHeard(tables)
    }
}

struct MutantRetainsLatest: MutantLedger {
    static func forget(_ event: JournalPruned, in tables: some Tables) {
        PruneProjection(event)?.removeSamples(tables)
        PruneProjection(event)?.removeHours(tables)
        PruneProjection(event)?.removeHeard(tables)
    }
}

struct MutantRetainsReports: MutantLedger {
    static func forget(_ event: JournalPruned, in tables: some Tables) {
        PruneProjection(event)?.removeSamples(tables)
        PruneProjection(event)?.removeHours(tables)
        PruneProjection(event)?.removeLatest(tables)
    }
}

struct MutantRetainsSamples: MutantLedger {
    static func forget(_ event: JournalPruned, in tables: some Tables) {
        PruneProjection(event)?.removeHours(tables)
        PruneProjection(event)?.removeLatest(tables)
        PruneProjection(event)?.removeHeard(tables)
    }
}

/// A mutant that also retains the hours beside a retained interval.
struct MutantRetainsMargin: MutantLedger {
    static func forget(_ event: JournalPruned, in tables: some Tables) {
        var event = event
        event.kept = event.kept.map {
            RetainedInterval(
                place: $0.place, from: $0.from.advanced(bySeconds: -3600), to: $0.to.advanced(bySeconds: 3600))
        }
        PruneProjection(event)?.apply(to: tables)
    }
}
