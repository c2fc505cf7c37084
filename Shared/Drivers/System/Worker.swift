internal import CSystem
internal import Glibc
internal import Synchronization

/// A dedicated thread for blocking code, which would exhaust the shared thread pool of tasks.
public final class Worker: Sendable {
    private let thread: Mutex<pthread_t?>

    /// Starts a thread that runs `body` once.
    ///
    /// It receives no signals. Its name is cut at 15 bytes; its stack is address space until it is used.
    public init(
        name: String, stackBytes: Int = SystemLimits.stackBytes, body: @escaping @Sendable () -> Void
    ) throws(SystemError) {
        var attributes = pthread_attr_t()
        unsafe pthread_attr_init(&attributes)
        defer { unsafe pthread_attr_destroy(&attributes) }
        let sized = unsafe pthread_attr_setstacksize(&attributes, stackBytes)
        guard sized == 0 else { throw SystemError(code: sized, operation: "pthread_attr_setstacksize") }
        let work = unsafe Unmanaged.passRetained(Work(name: name, body: body))
        var started = pthread_t()
        // A new thread inherits the signal mask.
        let result = withSignalsBlocked {
            unsafe pthread_create(&started, &attributes, { unsafe Work.run($0) }, work.toOpaque())
        }
        guard result == 0 else {
            unsafe work.release()
            throw SystemError(code: result, operation: "pthread_create")
        }
        thread = Mutex(started)
    }

    /// Waits until the body has returned; returns at once after an earlier join.
    public func join() {
        guard let thread = take() else { return }
        pthread_join(thread, nil)
    }

    deinit {
        if let thread = take() { pthread_detach(thread) }
    }

    private func take() -> pthread_t? {
        thread.withLock { thread in
            defer { thread = nil }
            return thread
        }
    }

    /// The arguments of a new thread.
    private final class Work: Sendable {
        let name: String
        let body: @Sendable () -> Void

        init(name: String, body: @escaping @Sendable () -> Void) {
            self.name = name
            self.body = body
        }

        static func run(_ opaque: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
            guard let opaque = unsafe opaque else { return nil }
            let work = unsafe Unmanaged<Work>.fromOpaque(opaque).takeRetainedValue()
            let name = String(decoding: work.name.utf8.prefix(SystemLimits.threadNameBytesMax), as: UTF8.self)
            _ = unsafe csystem_name_thread(name)
            work.body()
            return nil
        }
    }
}

/// Runs `body` while the calling thread's signals are blocked, except those for its own faults.
func withSignalsBlocked<Result>(_ body: () -> Result) -> Result {
    var kept = [UInt8](repeating: 0, count: Int(CSYSTEM_SIGNAL_MASK_BYTES))
    unsafe csystem_block_signals(&kept)
    defer { unsafe csystem_restore_signals(kept) }
    return body()
}
