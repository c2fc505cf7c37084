import BluetoothCentral
import System

/// Why a line to a controller does not work, and when it is opened again.
struct LineState {
    /// Why there is no line, or nil if the controller scans.
    private(set) var trouble: String?
    private var pause = RetryPause(first: QueueLimits.pauseMicroseconds, longest: QueueLimits.longestPauseMicroseconds)

    init(trouble: String) {
        self.trouble = trouble
    }

    func mayOpen(at now: Int64) -> Bool { pause.isOver(at: now) }

    mutating func note(_ event: CentralEvent) {
        guard event == .started else { return }
        trouble = nil
        pause.succeed()
    }

    /// Notes that the line has failed. Returns what that means for its devices, whose connections have ended.
    mutating func fail(_ reason: String, _ connected: [Peripheral], at now: Int64) -> [CentralEvent] {
        trouble = reason
        pause.fail(at: now)
        return connected.map { .disconnected($0, reason: "the hub has lost its controller") } + [.failed(reason)]
    }
}
