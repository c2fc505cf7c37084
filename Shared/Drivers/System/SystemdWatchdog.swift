internal import CSystem
internal import Synchronization

/// Tells systemd that this process goes on, where its unit has a `WatchdogSec` (sd_notify(3)).
public enum SystemdWatchdog {
    private static let socket = Machine.environment["NOTIFY_SOCKET"] ?? ""
    private static let last = Atomic<Int64>(.min)
    /// At most one message in this time.
    private static let microseconds: Int64 = 5_000_000

    /// Called in each turn of the process's loop. A message that is lost is followed by the next one.
    public static func goesOn() {
        let now = Clock.monotonicMicroseconds()
        let before = last.load(ordering: .relaxed)
        guard !socket.isEmpty, before == .min || now - before >= microseconds else { return }
        last.store(now, ordering: .relaxed)
        _ = unsafe csystem_send_datagram(socket, "WATCHDOG=1")
    }
}
