internal import CSystem
internal import Glibc
internal import Synchronization

/// A child process in a session of its own.
///
/// Whoever starts it asks ``wait()`` until there is a status; until then the kernel keeps its remains.
public final class Process: Sendable {
    /// What to run, as whom, and where its words go.
    public struct Command: Sendable {
        /// The path of the executable; no search path is asked.
        public var executable: String
        /// Without the executable's own name.
        public var arguments: [String]
        public var environment: [String: String]
        public var workingDirectory: String?
        /// Whom to become; only root can become another.
        public var user: User?
        /// Whether it may still enter and read every folder after it became `user` (CAP_DAC_READ_SEARCH).
        public var readsEverywhere = false
        public var output = Stream.nowhere
        public var error = Stream.nowhere
        /// What it gets when the thread that started it ends: start from one that lives as long. Nil for nothing.
        public var deathSignal: Int32? = SIGKILL

        public init(_ executable: String, _ arguments: [String] = [], environment: [String: String] = [:]) {
            self.executable = executable
            self.arguments = arguments
            self.environment = environment
        }
    }

    /// Where a stream of the child goes.
    public enum Stream: Sendable {
        case nowhere
        /// A descriptor of ours, for example 2; it stays open here.
        case descriptor(Int32)
        /// Appended to a file, which is made with mode 0640 where it is missing.
        case file(String)
    }

    /// How it ended: by itself with this code, or by this signal.
    public enum ExitStatus: Sendable, Equatable, CustomStringConvertible {
        case exited(Int32)
        case signalled(Int32)

        public var description: String {
            switch self {
            case .exited(let code): "exit code \(code)"
            case .signalled(let number): "signal \(number)"
            }
        }
    }

    public let pid: Int32
    private let end: Descriptor
    private let status = Mutex<ExitStatus?>(nil)

    /// Starts the command; returns once the executable runs, or throws at which step it failed.
    public init(_ command: Command) throws(SystemError) {
        pid = try command.spawn()
        let opened = csystem_pidfd(pid)
        end = Descriptor(owning: opened)
        guard opened >= 0 else {
            Glibc.kill(pid, SIGKILL)
            waitpid(pid, nil, 0)
            throw SystemError(code: -opened, operation: "pidfd_open", path: command.executable)
        }
    }

    /// Readable once the process has ended.
    public var descriptor: Int32 { end.number }

    /// Sends a signal to the process, and with `group` to all it started in its session; nothing once it was waited
    /// for.
    public func kill(_ signal: Int32, group: Bool = false) throws(SystemError) {
        try status.withLock { status throws(SystemError) in
            // Until it is waited for, the pid can't belong to anybody else.
            guard status == nil else { return }
            guard Glibc.kill(group ? -pid : pid, signal) == 0 else { throw .last("kill") }
        }
    }

    /// How the process ended, or nil while it runs; never blocks.
    public func wait() throws(SystemError) -> ExitStatus? {
        try status.withLock { status throws(SystemError) in
            if let status { return status }
            var word: Int32 = 0
            let result = unsafe waitpid(pid, &word, WNOHANG)
            guard result >= 0 else { throw .last("waitpid") }
            guard result == pid else { return nil }
            let signal = word & 0x7F
            status = signal == 0 ? .exited((word >> 8) & 0xFF) : .signalled(signal)
            return status
        }
    }

    /// Waits until the process has ended, at most `milliseconds`; nil where it still runs.
    public func wait(milliseconds: Int) throws(SystemError) -> ExitStatus? {
        if let status = try wait() { return status }
        _ = try Poll.wait([descriptor], milliseconds: milliseconds)
        return try wait()
    }
}
