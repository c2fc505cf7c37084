import EventSourcing
import Events
import Vocabulary

/// The rules of a lot: it is harvested once, and no more of it is split off, packed or handed over than is left.
enum Lot: Decider {
    enum Command: Sendable {
        case harvest(Harvested)
        case correctHarvest(grams: Int, reason: String)
        case split(into: LotID, grams: Int)
        case pack(gramsEach: Int, serials: [String])
        case store(StoreID)
        case handOver(to: String, document: String?)
        case printLabels(kid: String)
        /// With the lots that come of it.
        case recall(includes: [LotID], reason: String)
    }

    /// What a lot is at the moment.
    struct State: Sendable, Equatable {
        var harvest: Harvested?
        var harvestedAt: Instant?
        /// The lot it was split from.
        var parent: LotID?
        var grams = 0
        /// Neither split off nor packed.
        var left = 0
        var boxes = 0
        var place: Place?
        var handedTo: String?
        /// Why it must not be eaten.
        var recalled: String?
    }

    enum Refusal: Error, Equatable, Sendable {
        case unknown
        case known
        case handedOver
        case tooMuch(left: Int)
        /// That much is split off or packed already.
        case tooLittle(used: Int)
        /// A part weighs what was split off.
        case notHarvested(parent: LotID)
        case tooManyBoxes(most: Int)
        case nothing
        case notPacked
        case recalled(reason: String)
    }

    static let initial = State()

    static func evolve(_ state: inout State, with fact: TraceFact) {
        switch fact {
        case .harvested(let harvest):
            state.harvest = harvest
            state.grams = harvest.grams
            state.left = harvest.grams
        case .harvestCorrected(let corrected):
            state.left += corrected.grams - state.grams
            state.harvest?.grams = corrected.grams
            state.grams = corrected.grams
        case .lotSplit(let split): state.left -= split.grams
        case .packed(let packed):
            state.left -= packed.gramsEach * packed.serials.count
            state.boxes += packed.serials.count
        case .stored(let stored): state.place = .store(stored.store)
        case .handedOver(let handed):
            state.handedTo = handed.to
            state.place = nil
        case .lotRecalled(let recall): state.recalled = recall.reason
        case .farmFounded, .plotLaidOut, .storeOpened, .activityRecorded, .activityCorrected, .labelKeyAdded,
            .labelKeyRevoked, .labelsPrinted, .passportIssued:
            break
        }
    }

    static func decide(_ command: Command, in state: State) throws(Refusal) -> [TraceFact] {
        if case .harvest(let harvest) = command {
            guard state.harvest == nil else { throw .known }
            guard harvest.grams > 0 else { throw .nothing }
            return [.harvested(harvest)]
        }
        guard let lot = state.harvest?.lot else { throw .unknown }
        if let reason = state.recalled { throw .recalled(reason: reason) }
        if case .recall(let includes, let reason) = command {
            // What has left the farm can be recalled, too: that is what a recall is for.
            return [.lotRecalled(LotRecalled(lot: lot, includes: includes, reason: reason))]
        }
        guard state.handedTo == nil else { throw .handedOver }
        switch command {
        case .harvest, .recall: return []
        case .correctHarvest(let grams, let reason):
            guard grams > 0 else { throw .nothing }
            if let parent = state.parent { throw .notHarvested(parent: parent) }
            let used = state.grams - state.left
            guard grams >= used else { throw .tooLittle(used: used) }
            return [.harvestCorrected(HarvestCorrected(lot: lot, grams: grams, reason: reason))]
        case .split(let into, let grams):
            guard grams > 0 else { throw .nothing }
            guard grams <= state.left else { throw .tooMuch(left: state.left) }
            return [.lotSplit(LotSplit(lot: lot, into: into, grams: grams))]
        case .pack(let gramsEach, let serials):
            guard gramsEach > 0, !serials.isEmpty else { throw .nothing }
            guard serials.count <= Bounds.boxes - state.boxes else { throw .tooManyBoxes(most: Bounds.boxes) }
            guard gramsEach <= state.left / serials.count else { throw .tooMuch(left: state.left) }
            return [.packed(Packed(lot: lot, gramsEach: gramsEach, serials: serials))]
        case .store(let store): return [.stored(Stored(lot: lot, store: store))]
        case .handOver(let partner, let document):
            return [.handedOver(HandedOver(lot: lot, to: partner, document: document))]
        case .printLabels(let kid):
            guard state.boxes > 0 else { throw .notPacked }
            return [.labelsPrinted(LabelsPrinted(lot: lot, kid: kid, count: state.boxes))]
        }
    }
}
