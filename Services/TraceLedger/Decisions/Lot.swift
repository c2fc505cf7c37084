import EventSourcing
import Events
import Vocabulary

/// The decider of a lot: it is harvested once, and no more of it is split off, packed or handed over than is left.
enum Lot: Decider {
    enum Command: Sendable {
        case harvest(Harvested)
        case correctHarvest(grams: Int, reason: String)
        case split(into: LotID, grams: Int)
        case pack(gramsEach: Int, serials: [String])
        case store(StoreID)
        case handOver(to: String, document: String?)
        case printLabels(kid: String)
        /// A person releases the lot and all that was split off it.
        case release(includes: [LotID], reason: String)
        /// Recalls the lot with its descendants.
        case recall(includes: [LotID], reason: String)
    }

    /// The state of a lot.
    struct State: Sendable, Equatable {
        var harvest: Harvested?
        var harvestedAt: Instant?
        /// The lot it was split from.
        var parent: LotID?
        var grams = 0
        /// Grams that are neither split off nor packed; 0 once the lot is handed over.
        var left = 0
        var splitOff = 0
        var boxes = 0
        var place: Place?
        var handedTo: String?
        /// Why the lot must not be eaten; nil if it is not recalled.
        var recalled: String?
        /// The current and the released reasons to hold the lot.
        var holds: [Hold] = []

        /// Grams that left the farm with the hand-over: all that was not split off before, boxes included.
        var handedOver: Int { handedTo == nil ? 0 : grams - splitOff }
        /// Grams in boxes that have not left the farm.
        var packed: Int { handedTo == nil ? grams - splitOff - left : 0 }

        /// Why the lot must not be labelled, sold or handed over; nil if it may be.
        var held: String? { holds.first { $0.released == nil }?.reason }

        var safety: Safety {
            if recalled != nil { return .recalled }
            if held != nil { return .held }
            return holds.isEmpty ? .clear : .released
        }
    }

    enum Refusal: Error, Equatable, Sendable {
        case unknown
        case known
        case handedOver
        case tooMuch(left: Int)
        /// The new weight is less than what is already split off or packed.
        case tooLittle(used: Int)
        /// The lot was split off another; its weight is what was split off.
        case notHarvested(parent: LotID)
        case tooManyBoxes(most: Int)
        case nothing
        case notPacked
        case recalled(reason: String)
        case held(reason: String)
        case notHeld
        /// The lot was split off another and is released with its harvest.
        case heldWith(parent: LotID)
    }

    static let initial = State()

    static func evolve(_ state: inout State, with fact: TraceEvent) {
        switch fact {
        case .harvested(let harvest):
            state.harvest = harvest
            state.grams = harvest.grams
            state.left = harvest.grams
        case .harvestCorrected(let corrected):
            state.left += corrected.grams - state.grams
            state.harvest?.grams = corrected.grams
            state.grams = corrected.grams
        case .lotSplit(let split):
            state.left -= split.grams
            state.splitOff += split.grams
        case .packed(let packed):
            state.left -= packed.gramsEach * packed.serials.count
            state.boxes += packed.serials.count
        case .stored(let stored): state.place = .store(stored.store)
        case .handedOver(let handed):
            state.handedTo = handed.to
            state.left = 0
            state.place = nil
        case .lotRecalled(let recall): state.recalled = recall.reason
        case .lotHeld(let event):
            state.holds.removeAll { $0.activity == event.activity }
            state.holds.append(Hold(activity: event.activity, until: event.until, reason: event.reason))
        case .lotHoldLifted(let event): state.holds.removeAll { $0.activity == event.activity }
        case .lotReleased(let event):
            for index in state.holds.indices where state.holds[index].released == nil {
                state.holds[index].released = event.reason
            }
        case .farmFounded, .plotLaidOut, .storeOpened, .activityRecorded, .activityCorrected, .labelKeyAdded,
            .labelKeyRevoked, .labelsPrinted, .passportIssued, .goodsLimitsSet, .storageLimitsChanged,
            .photographTaken, .photographChosen, .photographRemoved:
            break
        }
    }

    static func decide(_ command: Command, in state: State) throws(Refusal) -> [TraceEvent] {
        if case .harvest(let harvest) = command {
            guard state.harvest == nil else { throw .known }
            guard harvest.grams > 0 else { throw .nothing }
            return [.harvested(harvest)]
        }
        guard let lot = state.harvest?.lot else { throw .unknown }
        if let reason = state.recalled { throw .recalled(reason: reason) }
        if case .recall(let includes, let reason) = command {
            // A lot that has left the farm can be recalled, too; that is the main purpose of a recall.
            return [.lotRecalled(LotRecalled(lot: lot, includes: includes, reason: reason))]
        }
        if case .release(let includes, let reason) = command {
            guard state.held != nil else { throw .notHeld }
            if let parent = state.parent { throw .heldWith(parent: parent) }
            return [.lotReleased(LotReleased(lot: lot, includes: includes, reason: reason))]
        }
        guard state.handedTo == nil else { throw .handedOver }
        switch command {
        case .harvest, .recall, .release: return []
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
            guard serials.count <= LedgerLimits.boxes - state.boxes else {
                throw .tooManyBoxes(most: LedgerLimits.boxes)
            }
            guard gramsEach <= state.left / serials.count else { throw .tooMuch(left: state.left) }
            return [.packed(Packed(lot: lot, gramsEach: gramsEach, serials: serials))]
        case .store(let store): return [.stored(Stored(lot: lot, store: store))]
        case .handOver(let partner, let document):
            if let reason = state.held { throw .held(reason: reason) }
            return [.handedOver(HandedOver(lot: lot, to: partner, document: document))]
        case .printLabels(let kid):
            if let reason = state.held { throw .held(reason: reason) }
            guard state.boxes > 0 else { throw .notPacked }
            return [.labelsPrinted(LabelsPrinted(lot: lot, kid: kid, count: state.boxes))]
        }
    }
}
