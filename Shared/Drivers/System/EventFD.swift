internal import CSystem
internal import Glibc

/// A counter in the kernel that wakes whoever polls its descriptor.
public final class EventFD: Sendable {
    private let event: Descriptor

    public init() throws(SystemError) {
        event = Descriptor(owning: try SystemError.checked(csystem_eventfd(), "eventfd"))
    }

    /// Readable while there are signals that nobody drained.
    public var descriptor: Int32 { event.number }

    /// Wakes the poller; from any thread.
    public func signal() {
        var one: UInt64 = 1
        // Only a counter that is full refuses, and a full one wakes already.
        while unsafe write(event.number, &one, 8) < 0, errno == EINTR {}
    }

    /// Takes all signals so far and returns how many there were.
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
