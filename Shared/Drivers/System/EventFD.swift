internal import CSystem
internal import Glibc

/// A kernel counter (eventfd(2)) that wakes the poller of its descriptor.
public final class EventFD: Sendable {
    private let event: Descriptor

    /// Creates a counter of zero.
    public init() throws(SystemError) {
        event = Descriptor(owning: try SystemError.checked(csystem_eventfd(), "eventfd"))
    }

    /// The descriptor; readable while there are undrained signals.
    public var descriptor: Int32 { event.number }

    /// Wakes the poller; callable from any thread.
    public func signal() {
        var one: UInt64 = 1
        // Only a full counter refuses the write, and a full one is readable anyway.
        while unsafe write(event.number, &one, 8) < 0, errno == EINTR {}
    }

    /// Resets the counter and returns the number of signals so far.
    @discardableResult
    public func drain() -> UInt64 {
        var count: UInt64 = 0
        while true {
            let length = unsafe read(event.number, &count, 8)
            if length == 8 { return count }
            if length < 0, errno == EINTR { continue }
            return 0
        }
    }
}
