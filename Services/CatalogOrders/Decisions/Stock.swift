import EventSourcing

/// The rules of a lot's stock: no box is promised twice.
///
/// All boxes of a lot are decided here, one command after the other, whichever offers, carts and orders take them.
enum Stock: Decider {
    enum Command: Sendable, Equatable {
        /// Somebody counted.
        case count(boxes: Int)
        case adjust(by: Int)
        case block(reason: String)
        /// Boxes are kept for a cart, in place of those that it has already.
        case hold(boxes: Int, insteadOf: Int)
        /// Boxes are bought; those of the buyer's cart, or of the order as it was, are used first.
        case order(boxes: Int, fromCart: Int, insteadOf: Int)
    }

    /// What happens to boxes. Movements are no events: they are what catalog and order events mean for one lot.
    enum Movement: Sendable, Equatable {
        case counted(Int)
        case adjusted(Int)
        case blocked(String)
        case held(Int)
        case released(Int)
        case ordered(Int)
        case returned(Int)
        /// They have left with their buyer.
        case collected(Int)
    }

    /// A lot's boxes at the moment.
    struct State: Sendable, Equatable {
        /// There to be sold, promised ones included.
        var boxes = 0
        /// Kept for carts.
        var held = 0
        /// Bought and not collected yet.
        var ordered = 0
        /// Taken home by buyers; not there any more.
        var collected = 0
        var blocked: String?

        var promised: Int { held + ordered }
        /// What can still be promised.
        var free: Int { blocked == nil ? max(0, boxes - promised) : 0 }
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
        // Giving back is always possible, wanting more is not.
        guard boxes > own else { return }
        if let reason = state.blocked { throw .blocked(reason: reason) }
        guard boxes - own <= state.free else { throw .soldOut(left: state.free + own) }
    }
}
