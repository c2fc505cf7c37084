internal import CSystem
internal import Glibc

/// Turns the signals that steer a process into something a loop can poll.
///
/// While it lives they do nothing else, in whatever thread they arrive, and SIGPIPE is ignored. One a process.
public final class SignalWatcher: Sendable {
    /// What can be watched for.
    public enum Signal: Sendable, CaseIterable {
        /// SIGTERM: drain and end.
        case terminate
        /// SIGINT: somebody pressed Control-C.
        case interrupt
        /// SIGHUP: the terminal is gone, or settings are to be read again.
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

    /// Readable while there are signals that nobody drained.
    public let descriptor: Int32

    /// Begins to watch; `EBUSY` while another watcher lives.
    public init() throws(SystemError) {
        let numbers = Signal.allCases.map(\.number)
        descriptor = try SystemError.checked(unsafe csystem_watch_signals(numbers, numbers.count), "sigaction")
    }

    deinit {
        csystem_unwatch_signals()
    }

    /// Tells this process to drain and end, as its supervisor would.
    public static func terminateThisProcess() {
        _ = kill(getpid(), SIGTERM)
    }

    /// The kinds of signal that came since the last call, each once.
    public func drain() -> [Signal] {
        let came = csystem_take_signals()
        return Signal.allCases.filter { came & (1 << UInt64($0.number - 1)) != 0 }
    }
}
