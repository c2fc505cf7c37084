/// Which instances of sensor-ingest take batches: those that said hello lately.
///
/// Time is counted in ticks, because the clock of a demonstration runs faster than slots can greet.
struct Slots {
    private var heard: [Int: UInt64] = [:]

    /// - Parameter known: the slots that took batches when the gateway last ran; they are expected to go on. Otherwise
    ///   the first batches after a restart would be divided among the few that have greeted already.
    init(known: [Int]) {
        for slot in known { heard[slot] = 0 }
    }

    mutating func hello(from slot: Int, at tick: UInt64) {
        heard[slot] = tick
    }

    /// In ascending order; slot 0 where nobody has said anything yet.
    func live(at tick: UInt64) -> [Int] {
        let live = heard.filter { $0.value + GatewayLimits.slotTicks >= tick }.keys.sorted()
        return live.isEmpty ? [0] : live
    }

    /// Who takes what was meant for a slot before: that slot, or slot 0 once nobody has run it for a while. By then the
    /// hub has what the slot took, and slot 0 knows it from there: it takes nothing twice.
    func successor(of slot: Int, at tick: UInt64) -> Int {
        heard[slot, default: 0] + GatewayLimits.goneTicks >= tick ? slot : 0
    }
}
