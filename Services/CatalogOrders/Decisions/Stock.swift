import EventSourcing

/// The rules of a lot's stock. No box is promised twice.
///
/// All offers, carts and orders of a lot take their boxes from this one state, one command after the other.
enum Stock: Decider {
    enum Command: Sendable, Equatable {
        /// The stock is set to a counted number of boxes.
        case count(boxes: Int)
        case adjust(by: Int)
        case block(reason: String)
        /// Boxes are reserved for a cart, in place of those that it has already.
        case hold(boxes: Int, insteadOf: Int)
        /// Boxes are ordered. Those reserved for the buyer's cart or for the order before its change are used first.
        case order(boxes: Int, fromCart: Int, insteadOf: Int)
    }

    /// A change to the boxes of one lot. Movements are not recorded: they are derived from catalog and order events.
    enum Movement: Sendable, Equatable {
        case counted(Int)
        case adjusted(Int)
        case blocked(String)
        case held(Int)
        case released(Int)
        case ordered(Int)
        case returned(Int)
        /// The buyer has collected the boxes.
        case collected(Int)
    }

    /// The current numbers of a lot's boxes.
    struct State: Sendable, Equatable {
        /// Boxes for sale, including promised ones.
        var boxes = 0
        /// Boxes reserved for carts.
        var held = 0
        /// Boxes ordered and not collected yet.
        var ordered = 0
        /// Boxes that buyers have collected. `boxes` does not include them.
        var collected = 0
        var blocked: String?

        /// Boxes reserved or ordered, which must not be promised to another buyer.
        var promised: Int { held + ordered }
        /// Boxes that can still be promised; zero if the lot is blocked.
        var free: Int { blocked == nil ? max(0, boxes - promised) : 0 }
    }

    /// What others need to know of a lot's boxes.
    struct Level: Sendable, Equatable {
        var boxes = 0
        var held = 0
        var ordered = 0
        /// The boxes that can be ordered.
        var free = 0
    }

    /// Returns the level of a lot.
    ///
    /// - Parameter isSaleable: whether the lot is neither recalled nor on hold, and has not left the farm.
    static func level(of state: State, isSaleable: Bool) -> Level {
        Level(
            boxes: state.boxes, held: state.held, ordered: state.ordered, free: isSaleable ? state.free : 0)
    }

    enum Refusal: Error, Equatable, Sendable {
        case soldOut(left: Int)
        case promised(Int)
        case tooMany(most: Int)
        case blocked(reason: String)
    }

    static let initial = State()

    static func evolve(_ state: inout State, with fact: Movement) {
        switch fact {
        case .counted(let boxes): state.boxes = boxes
        case .adjusted(let boxes): state.boxes += boxes
        case .blocked(let reason): state.blocked = reason
        case .held(let boxes): state.held += boxes
        case .released(let boxes): state.held -= boxes
        case .ordered(let boxes): state.ordered += boxes
        case .returned(let boxes): state.ordered -= boxes
        case .collected(let boxes):
            state.ordered -= boxes
            state.boxes -= boxes
            state.collected += boxes
        }
    }

    static func decide(_ command: Command, in state: State) throws(Refusal) -> [Movement] {
        switch command {
        case .count(let boxes):
            try check(boxes, in: state)
            return [.counted(boxes)]
        case .adjust(let by):
            guard by.magnitude <= MarketLimits.boxes else { throw .tooMany(most: MarketLimits.boxes) }
            try check(state.boxes + by, in: state)
            return [.adjusted(by)]
        case .block(let reason): return state.blocked == nil ? [.blocked(reason)] : []
        case .hold(let boxes, let before):
            try check(boxes, beyond: before, in: state)
            return [.released(before), .held(boxes)].filter { $0 != .released(0) && $0 != .held(0) }
        case .order(let boxes, let cart, let before):
            try check(boxes, beyond: cart + before, in: state)
            return [.released(cart), .returned(before), .ordered(boxes)].filter {
                $0 != .released(0) && $0 != .returned(0) && $0 != .ordered(0)
            }
        }
    }

    private static func check(_ boxes: Int, in state: State) throws(Refusal) {
        guard boxes <= MarketLimits.boxes else { throw .tooMany(most: MarketLimits.boxes) }
        guard boxes >= state.promised else { throw .promised(state.promised) }
    }

    private static func check(_ boxes: Int, beyond own: Int, in state: State) throws(Refusal) {
        // A reduction is always possible; only an increase needs free boxes.
        guard boxes > own else { return }
        if let reason = state.blocked { throw .blocked(reason: reason) }
        guard boxes - own <= state.free else { throw .soldOut(left: state.free + own) }
    }
}
