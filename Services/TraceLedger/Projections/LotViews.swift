import EventSourcing
import Events
import Vocabulary

/// The projection of lots: their state, boxes and steps.
enum LotViews {
    static func harvest(_ event: Harvested, _ envelope: Envelope, _ tables: some Tables) {
        guard let farm = envelope.farm else { return }
        var row = LotRow(event.lot, farm: farm, state: Lot.fold([.harvested(event)]))
        row.state.harvestedAt = envelope.time
        tables.put(row)
        tables.put(ListedLotRow(row))
        tables.put(LedgerProductRow(farm: farm, product: event.product, gtin: event.gtin))
        step(event.lot, .harvested, envelope, tables) {
            $0.place = .plot(event.plot)
            $0.grams = event.grams
        }
        IntervalViews.note(event.lot, tables)
        IntervalViews.noteHarvest(of: event.plot, at: envelope.time, tables)
    }

    static func correct(_ event: HarvestCorrected, _ envelope: Envelope, _ tables: some Tables) {
        guard evolve(event.lot, .harvestCorrected(event), tables) != nil else { return }
        step(event.lot, .corrected, envelope, tables) {
            $0.grams = event.grams
            $0.partner = event.reason
        }
    }

    static func split(_ event: LotSplit, _ envelope: Envelope, _ tables: some Tables) {
        guard let parent = evolve(event.lot, .lotSplit(event), tables), let harvest = parent.state.harvest else {
            return
        }
        var child = LotRow(event.into, farm: parent.farm, state: Lot.initial)
        child.state.harvest = Harvested(
            lot: event.into, gtin: harvest.gtin, product: harvest.product, plot: harvest.plot, grams: event.grams,
            from: harvest.from)
        child.state.harvestedAt = parent.state.harvestedAt
        child.state.parent = event.lot
        child.state.grams = event.grams
        child.state.left = event.grams
        child.state.place = parent.state.place
        child.state.holds = parent.state.holds
        child.safetySince = parent.safetySince
        child.inherited = parent.steps
        tables.put(child)
        tables.put(ListedLotRow(child))
        step(event.into, .split, envelope, tables) {
            $0.place = parent.state.place
            $0.grams = event.grams
        }
        IntervalViews.note(event.into, tables)
    }

    static func pack(_ event: Packed, _ envelope: Envelope, _ tables: some Tables) {
        guard let row = evolve(event.lot, .packed(event), tables) else { return }
        let first = row.state.boxes - event.serials.count
        for (index, serial) in event.serials.enumerated() {
            tables.put(BoxRow(lot: event.lot, serial: serial, number: first + index + 1, grams: event.gramsEach))
        }
        step(event.lot, .packed, envelope, tables) {
            $0.boxes = event.serials.count
            $0.grams = event.gramsEach * event.serials.count
        }
    }

    static func store(_ event: Stored, _ envelope: Envelope, _ tables: some Tables) {
        let before = tables.get(LotRow.self, event.lot.rawValue)?.state.place
        guard evolve(event.lot, .stored(event), tables) != nil else { return }
        step(event.lot, .stored, envelope, tables) { $0.place = .store(event.store) }
        settle(event.lot, tables)
        if before != tables.get(LotRow.self, event.lot.rawValue)?.state.place {
            LotDepartureRow.note(event.lot, left: before, at: envelope.recorded, tables)
        }
        IntervalViews.note(event.lot, tables)
    }

    static func handOver(_ event: HandedOver, _ envelope: Envelope, _ tables: some Tables) {
        var envelope = envelope
        if let before = tables.get(LotRow.self, event.lot.rawValue) {
            LotDepartureRow.note(event.lot, left: before.state.place, at: envelope.recorded, tables)
            tables.remove(ListedLotRow.self, ListedLotRow(before).key)
            // Older logs may date a hand-over before the lot's arrival at its last place. Then the recording time
            // counts, because the measurements at that place are part of the story.
            if let since = LotHistory(of: before, from: tables).since, envelope.time < since {
                envelope.time = envelope.recorded
            }
        }
        guard let row = evolve(event.lot, .handedOver(event), tables) else { return }
        tables.put(ListedLotRow(row))
        step(event.lot, .handedOver, envelope, tables) {
            $0.partner = event.to
            $0.grams = row.state.handedOver
        }
        IntervalViews.note(event.lot, tables)
    }

    static func recall(_ event: LotRecalled, _ envelope: Envelope, _ tables: some Tables) {
        change(safetyOf: [event.lot] + event.includes, .lotRecalled(event), .recalled, event.reason, envelope, tables)
    }

    /// Projects that a lot and its parts were held, released or recalled.
    static func change(
        safetyOf lots: [LotID], _ fact: TraceEvent, _ what: CustodyStep, _ reason: String, _ envelope: Envelope,
        _ tables: some Tables
    ) {
        for lot in lots {
            guard var row = tables.get(LotRow.self, lot.rawValue) else { continue }
            let before = row.state
            Lot.evolve(&row.state, with: fact)
            // A hold of many parts is several events, each of which also names the harvest.
            guard row.state != before else { continue }
            row.safetySince = envelope.recorded
            tables.put(row)
            step(lot, what, envelope, tables) { $0.partner = reason }
        }
    }

    private static func evolve(_ lot: LotID, _ fact: TraceEvent, _ tables: some Tables) -> LotRow? {
        guard var row = tables.get(LotRow.self, lot.rawValue) else { return nil }
        Lot.evolve(&row.state, with: fact)
        tables.put(row)
        return row
    }

    private static func step(
        _ lot: LotID, _ step: CustodyStep, _ envelope: Envelope, _ tables: some Tables,
        _ fill: (inout CustodyRow) -> Void
    ) {
        guard var owner = tables.get(LotRow.self, lot.rawValue) else { return }
        owner.steps += 1
        tables.put(owner)
        var row = CustodyRow(lot: lot, number: owner.steps, step, at: envelope.time)
        fill(&row)
        tables.put(row)
    }

    /// Sets the place where the lot was stored last, independent of the order of recording.
    private static func settle(_ lot: LotID, _ tables: some Tables) {
        guard var row = tables.get(LotRow.self, lot.rawValue) else { return }
        let stored = tables.scan(CustodyRow.self, prefix: "\(lot)|", limit: .max).filter {
            $0.step == .stored
        }
        guard let last = stored.max(by: { ($0.at, $0.key) < ($1.at, $1.key) }) else { return }
        row.state.place = last.place
        tables.put(row)
    }
}
