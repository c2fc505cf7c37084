import Crypto
import EventSourcing
import Events
import JSON
import Vocabulary

/// The projection of growers' events into the ledger's tables.
enum TraceViews {
    static func apply(_ fact: TraceEvent, _ envelope: Envelope, to tables: some Tables) {
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
        case .activityRecorded(let event): record(event, envelope, tables)
        case .activityCorrected(let event): correct(event, envelope, tables)
        case .harvested(let event): LotViews.harvest(event, envelope, tables)
        case .harvestCorrected(let event): LotViews.correct(event, envelope, tables)
        case .lotSplit(let event): LotViews.split(event, envelope, tables)
        case .packed(let event): LotViews.pack(event, envelope, tables)
        case .stored(let event): LotViews.store(event, envelope, tables)
        case .handedOver(let event): LotViews.handOver(event, envelope, tables)
        case .lotRecalled(let event): LotViews.recall(event, envelope, tables)
        case .lotHeld(let event):
            LotViews.change(
                safetyOf: [event.lot] + event.includes, fact, .held, event.reason, envelope, tables)
        case .lotHoldLifted(let event):
            LotViews.change(
                safetyOf: [event.lot] + event.includes, fact, .holdLifted, event.reason, envelope, tables)
        case .lotReleased(let event):
            LotViews.change(
                safetyOf: [event.lot] + event.includes, fact, .released, event.reason, envelope, tables)
        case .labelsPrinted(let event):
            guard var row = tables.get(LotRow.self, event.lot.rawValue) else { return }
            row.labelled = event.count
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
                    event.lot, event: envelope.id, issued: envelope.time, story: LotStory.digest(of: event.passport)))
        case .goodsLimitsSet(let event): tables.put(GoodsRow(event))
        case .photographTaken(let event): tables.put(PhotographRow(event, at: envelope.time))
        case .photographChosen(let event): PhotographRow.choose(event, in: tables)
        case .photographRemoved(let event): PhotographRow.remove(event, from: tables)
        case .storageLimitsChanged(let event): GoodsViews.change(event, tables)
        }
    }

    private static func record(_ event: ActivityRecorded, _ envelope: Envelope, _ tables: some Tables) {
        let record = ActivityRow.Record(
            kind: event.kind, happened: envelope.time, recorded: envelope.recorded, details: event.details)
        tables.put(ActivityRow(plot: event.plot, activity: event.activity, record: record))
        if event.kind.beginsSeason { IntervalViews.noteSowing(event.plot, tables) }
    }

    private static func correct(_ event: ActivityCorrected, _ envelope: Envelope, _ tables: some Tables) {
        guard var row = tables.find(ActivityRow.self, where: "activity", is: event.activity.rawValue, limit: 1).first
        else { return }
        let former = row.valid.kind
        row.corrections.append(
            ActivityRow.Record(
                kind: event.kind, happened: event.happened, recorded: envelope.recorded, details: event.details,
                reason: event.reason))
        tables.put(row)
        if event.kind.beginsSeason || former.beginsSeason { IntervalViews.noteSowing(row.plot, tables) }
    }
}
