/// The instances (slots) of sensor-ingest that take batches: those that sent a `hello` recently.
///
/// Ticks measure the time, because a demonstration's accelerated clock outruns the interval of the `hello` requests.
struct Slots {
    private var heard: [Int: UInt64] = [:]

    /// Creates the set with the slots that are presumed to run.
    ///
    /// - Parameter known: the slots that took batches when the gateway last ran. Without them, the first batches after
    ///   a restart would be divided among the few slots that have already sent a `hello`.
    init(known: [Int]) {
        for slot in known { heard[slot] = 0 }
    }

    mutating func hello(from slot: Int, at tick: UInt64) {
        heard[slot] = tick
    }

    /// Returns the live slots in ascending order; slot 0 alone if there is none.
    func live(at tick: UInt64) -> [Int] {
        let live = heard.filter { $0.value + GatewayLimits.slotTicks >= tick }.keys.sorted()
        return live.isEmpty ? [0] : live
    }

    /// Returns the slot that takes over requests of a slot: the slot itself, or slot 0 if it has been gone for
    /// `goneTicks`. By then the hub has the events of the gone slot, so slot 0 recognises repeated requests.
    func successor(of slot: Int, at tick: UInt64) -> Int {
        heard[slot, default: 0] + GatewayLimits.goneTicks >= tick ? slot : 0
    }
}
