internal import CSystem
internal import Glibc

/// Receives the signals that control a process, for an event loop to poll.
///
/// While it exists, these signals have no other effect, in any thread, and SIGPIPE is ignored. There is one in a
/// process.
public final class SignalWatcher: Sendable {
    /// The signals that are watched.
    public enum Signal: Sendable, CaseIterable {
        /// SIGTERM: drain and end.
        case terminate
        /// SIGINT: Control-C was pressed.
        case interrupt
        /// SIGHUP: the terminal is gone, or the configuration should be reloaded.
        case hangUp
        /// SIGCHLD: a child has ended.
        case child

        var number: Int32 {
            switch self {
            case .terminate: SIGTERM
            case .interrupt: SIGINT
            case .hangUp: SIGHUP
            case .child: SIGCHLD
            }
        }
    }

    /// The descriptor; readable while there are undrained signals.
    public let descriptor: Int32

    /// Starts to watch; throws `EBUSY` if there is another watcher.
    public init() throws(SystemError) {
        let numbers = Signal.allCases.map(\.number)
        descriptor = try SystemError.checked(unsafe csystem_watch_signals(numbers, numbers.count), "sigaction")
    }

    deinit {
        csystem_unwatch_signals()
    }

    /// Sends SIGTERM to this process, so that it drains and ends, as its supervisor would.
    public static func terminateThisProcess() {
        _ = kill(getpid(), SIGTERM)
    }

    /// Returns the kinds of signal received since the last call, each once.
    public func drain() -> [Signal] {
        let came = csystem_take_signals()
        return Signal.allCases.filter { came & (1 << UInt64($0.number - 1)) != 0 }
    }
}
