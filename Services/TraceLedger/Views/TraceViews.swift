import Crypto
import EventSourcing
import Events
import JSON
import Vocabulary

/// What the ledger's tables hold, folded from growers' facts.
enum TraceViews {
    static func apply(_ fact: TraceFact, _ envelope: Envelope, to tables: some Tables) {
        switch fact {
        case .farmFounded(let event):
            guard let farm = envelope.farm else { return }
            tables.put(FarmRow(farm, title: event.title, zone: event.zone, country: event.country))
        case .plotLaidOut(let event):
            guard let farm = envelope.farm else { return }
            tables.put(
                PlaceRow(
                    .plot(event.plot), farm: farm, title: event.title, crop: event.crop,
                    area: event.areaSquareMetres))
        case .storeOpened(let event):
            guard let farm = envelope.farm else { return }
            tables.put(PlaceRow(.store(event.store), farm: farm, title: event.title, cold: event.cold))
        case .activityRecorded, .activityCorrected: activity(fact, envelope, tables)
        case .harvested, .lotSplit, .packed, .stored, .handedOver: lot(fact, envelope, tables)
        case .labelsPrinted(let event):
            guard var row = tables.get(LotRow.self, event.lot.rawValue) else { return }
            row.isPrinted = true
            tables.put(row)
        case .labelKeyAdded(let event):
            tables.put(LabelKeyRow(kid: event.kid, publicKey: event.publicKey, since: envelope.time))
        case .labelKeyRevoked(let event):
            guard var row = tables.get(LabelKeyRow.self, event.kid) else { return }
            row.revoked = envelope.time
            row.reason = event.reason
            tables.put(row)
        case .passportIssued(let event):
            tables.put(
                PassportRow(
                    event.lot, event: envelope.id, issued: envelope.time, story: Story.digest(of: event.passport)))
        }
    }

    private static func activity(_ fact: TraceFact, _ envelope: Envelope, _ tables: some Tables) {
        switch fact {
        case .activityRecorded(let event):
            let record = ActivityRow.Record(
                kind: event.kind, happened: envelope.time, recorded: envelope.recorded, details: event.details)
            tables.put(ActivityRow(plot: event.plot, activity: event.activity, record: record))
        case .activityCorrected(let event):
            guard
                var row = tables.find(ActivityRow.self, where: "activity", is: event.activity.rawValue, limit: 1).first
            else { return }
            row.corrections.append(
                ActivityRow.Record(
                    kind: event.kind, happened: event.happened, recorded: envelope.recorded, details: event.details,
                    reason: event.reason))
            tables.put(row)
        default: break
        }
    }

    private static func lot(_ fact: TraceFact, _ envelope: Envelope, _ tables: some Tables) {
        switch fact {
        case .harvested(let event):
            guard let farm = envelope.farm else { return }
            var row = LotRow(event.lot, farm: farm, state: Lot.fold([fact]))
            row.state.harvestedAt = envelope.time
            tables.put(row)
            tables.put(ProductRow(farm: farm, product: event.product, gtin: event.gtin))
            step(event.lot, .harvested, envelope, tables) {
                $0.place = .plot(event.plot)
                $0.grams = event.grams
            }
        case .lotSplit(let event):
            guard let parent = evolve(event.lot, fact, tables), let harvest = parent.state.harvest else { return }
            var child = LotRow(event.into, farm: parent.farm, state: Lot.initial)
            child.state.harvest = Harvested(
                lot: event.into, gtin: harvest.gtin, product: harvest.product, plot: harvest.plot, grams: event.grams,
                from: harvest.from)
            child.state.harvestedAt = parent.state.harvestedAt
            child.state.parent = event.lot
            child.state.grams = event.grams
            child.state.left = event.grams
            child.state.place = parent.state.place
            child.inherited = parent.steps
            tables.put(child)
            step(event.into, .split, envelope, tables) {
                $0.place = parent.state.place
                $0.grams = event.grams
            }
        case .packed(let event):
            guard let row = evolve(event.lot, fact, tables) else { return }
            let first = row.state.boxes - event.serials.count
            for (index, serial) in event.serials.enumerated() {
                tables.put(BoxRow(lot: event.lot, serial: serial, number: first + index + 1, grams: event.gramsEach))
            }
            step(event.lot, .packed, envelope, tables) {
                $0.boxes = event.serials.count
                $0.grams = event.gramsEach * event.serials.count
            }
        case .stored(let event):
            guard evolve(event.lot, fact, tables) != nil else { return }
            step(event.lot, .stored, envelope, tables) { $0.place = .store(event.store) }
            settle(event.lot, tables)
        case .handedOver(let event):
            guard evolve(event.lot, fact, tables) != nil else { return }
            step(event.lot, .handedOver, envelope, tables) { $0.partner = event.to }
        default: break
        }
    }

    private static func evolve(_ lot: LotID, _ fact: TraceFact, _ tables: some Tables) -> LotRow? {
        guard var row = tables.get(LotRow.self, lot.rawValue) else { return nil }
        Lot.evolve(&row.state, with: fact)
        tables.put(row)
        return row
    }

    private static func step(
        _ lot: LotID, _ step: CustodyRow.Step, _ envelope: Envelope, _ tables: some Tables,
        _ fill: (inout CustodyRow) -> Void
    ) {
        guard var owner = tables.get(LotRow.self, lot.rawValue) else { return }
        owner.steps += 1
        tables.put(owner)
        var row = CustodyRow(lot: lot, number: owner.steps, step, at: envelope.time)
        fill(&row)
        tables.put(row)
    }

    /// A lot lies where it was brought last, whatever order that was written down in.
    private static func settle(_ lot: LotID, _ tables: some Tables) {
        guard var row = tables.get(LotRow.self, lot.rawValue) else { return }
        let stored = tables.scan(CustodyRow.self, prefix: "\(lot)|", limit: Bounds.custodySteps).filter {
            $0.step == .stored
        }
        guard let last = stored.max(by: { ($0.at, $0.key) < ($1.at, $1.key) }) else { return }
        row.state.place = last.place
        tables.put(row)
    }
}
