internal import CSystem
internal import Glibc

/// A set of watched descriptors (epoll(7)); the cost of a wait depends on the ready ones only.
public final class Epoll: Sendable {
    private let set: Descriptor

    /// Creates an empty set.
    public init() throws(SystemError) {
        set = Descriptor(owning: try SystemError.checked(csystem_epoll(), "epoll_create1"))
    }

    /// Watches a descriptor until it is closed; `wait` returns `number` when it is readable, ended or broken.
    public func add(_ descriptor: Int32, number: Int) throws(SystemError) {
        _ = try SystemError.checked(csystem_epoll_add(set.number, descriptor, UInt64(number)), "epoll_ctl")
    }

    /// Returns the numbers of ready descriptors, at most `SystemLimits.epollBatch`; the rest follow with the next call.
    ///
    /// Returns none after `milliseconds`, and none if a signal ended the wait.
    public func wait(milliseconds: Int32) throws(SystemError) -> [Int] {
        var numbers = [UInt64](repeating: 0, count: SystemLimits.epollBatch)
        let count = unsafe csystem_epoll_wait(set.number, &numbers, Int32(numbers.count), milliseconds)
        if count == -EINTR { return [] }
        return numbers.prefix(Int(try SystemError.checked(count, "epoll_wait"))).map { Int($0) }
    }
}
