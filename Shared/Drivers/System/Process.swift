internal import CSystem
internal import Glibc
internal import Synchronization

/// A child process in its own session.
///
/// The caller must call ``wait()`` until it returns a status; until then the kernel retains a zombie.
///
/// ```
/// let process = try Process(.init("/usr/bin/openssl", ["version"]))
/// let status = try process.wait(milliseconds: 1_000)
/// ```
public final class Process: Sendable {
    /// The executable, arguments, user and output streams of a child process.
    public struct Command: Sendable {
        /// The path of the executable; not searched in PATH.
        public var executable: String
        /// The arguments, without the executable's own name.
        public var arguments: [String]
        /// The whole environment; nothing is inherited.
        public var environment: [String: String]
        /// The working directory; nil inherits the parent's.
        public var workingDirectory: String?
        /// The user to become, which requires root; nil stays the same user.
        public var user: User?
        /// Whether it may still read every directory after it became `user` (CAP_DAC_READ_SEARCH).
        public var readsEverywhere = false
        /// The destination of its standard output.
        public var output = Stream.nowhere
        /// The destination of its standard error.
        public var error = Stream.nowhere
        /// The signal that it receives when the thread that started it ends, so that thread must outlive it; nil for
        /// none.
        public var deathSignal: Int32? = SIGKILL

        /// Creates a command that writes nowhere.
        public init(_ executable: String, _ arguments: [String] = [], environment: [String: String] = [:]) {
            self.executable = executable
            self.arguments = arguments
            self.environment = environment
        }
    }

    /// The destination of a stream of the child.
    public enum Stream: Sendable {
        case nowhere
        /// A descriptor of this process, for example 2; it stays open here.
        case descriptor(Int32)
        /// A file to append to, created with mode 0640 if missing.
        case file(String)
    }

    /// How it ended: with an exit code, or by a signal.
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

    /// The id of the child process.
    public let pid: Int32
    private let end: Descriptor
    private let status = Mutex<ExitStatus?>(nil)

    /// Starts the command; returns when the executable runs, or throws the step that failed.
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

    /// The descriptor; readable once the process has ended.
    public var descriptor: Int32 { end.number }

    /// Sends a signal to the process, and with `group` to its whole process group; does nothing once it was waited for.
    public func kill(_ signal: Int32, group: Bool = false) throws(SystemError) {
        try status.withLock { status throws(SystemError) in
            // Until it is waited for, the kernel does not reuse the pid.
            guard status == nil else { return }
            guard Glibc.kill(group ? -pid : pid, signal) == 0 else { throw .last("kill") }
        }
    }

    /// Returns how the process ended, or nil if it is running; never blocks.
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

    /// Waits until the process has ended, at most `milliseconds`; returns nil if it is still running.
    public func wait(milliseconds: Int) throws(SystemError) -> ExitStatus? {
        if let status = try wait() { return status }
        _ = try Poll.wait([descriptor], milliseconds: milliseconds)
        return try wait()
    }
}
