internal import CSystem
internal import Synchronization

/// Sends keep-alive messages to systemd, for units with a `WatchdogSec` (sd_notify(3)).
public enum SystemdWatchdog {
    private static let socket = Machine.environment["NOTIFY_SOCKET"] ?? ""
    private static let last = Atomic<Int64>(.min)
    /// The minimum interval between messages.
    private static let microseconds: Int64 = 5_000_000

    /// Sends a message unless one was sent recently; called in each iteration of the event loop.
    public static func goesOn() {
        let now = Clock.monotonicMicroseconds()
        let before = last.load(ordering: .relaxed)
        guard !socket.isEmpty, before == .min || now - before >= microseconds else { return }
        last.store(now, ordering: .relaxed)
        _ = unsafe csystem_send_datagram(socket, "WATCHDOG=1")
    }
}
