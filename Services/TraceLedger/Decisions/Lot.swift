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
        /// A person takes a hold off it and all that was split off it.
        case release(includes: [LotID], reason: String)
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
        /// Neither split off nor packed; nothing once it is handed over.
        var left = 0
        var splitOff = 0
        var boxes = 0
        var place: Place?
        var handedTo: String?
        /// Why it must not be eaten.
        var recalled: String?
        /// Why it is held, or was until a person released it.
        var holds: [Hold] = []

        /// What left the farm with its hand-over: all of it, boxes included, that was not split off before.
        var handedOver: Int { handedTo == nil ? 0 : grams - splitOff }
        /// What is in boxes that have not left the farm.
        var packed: Int { handedTo == nil ? grams - splitOff - left : 0 }

        /// Why it must not be labelled, sold or handed over for now.
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
        /// That much is split off or packed already.
        case tooLittle(used: Int)
        /// A part weighs what was split off.
        case notHarvested(parent: LotID)
        case tooManyBoxes(most: Int)
        case nothing
        case notPacked
        case recalled(reason: String)
        case held(reason: String)
        case notHeld
        /// A part is released with its harvest.
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
            .labelKeyRevoked, .labelsPrinted, .passportIssued:
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
            // What has left the farm can be recalled, too: that is what a recall is for.
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
