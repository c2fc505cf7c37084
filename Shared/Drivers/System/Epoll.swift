internal import CSystem
internal import Glibc

/// Descriptors that stay watched, so that a wait costs as much as there is to read, and not as much as there are
/// descriptors (epoll(7)); for whoever has dozens.
public final class Epoll: Sendable {
    private let set: Descriptor

    public init() throws(SystemError) {
        set = Descriptor(owning: try SystemError.checked(csystem_epoll(), "epoll_create1"))
    }

    /// Watches a descriptor until it is closed; `number` is told when it can be read, has ended or is broken.
    public func add(_ descriptor: Int32, number: Int) throws(SystemError) {
        _ = try SystemError.checked(csystem_epoll_add(set.number, descriptor, UInt64(number)), "epoll_ctl")
    }

    /// The numbers of those that have something, `SystemLimits.epollBatch` at most and the rest next time; none after
    /// `milliseconds`, and none where a signal ended the wait.
    public func wait(milliseconds: Int32) throws(SystemError) -> [Int] {
        var numbers = [UInt64](repeating: 0, count: SystemLimits.epollBatch)
        let count = unsafe csystem_epoll_wait(set.number, &numbers, Int32(numbers.count), milliseconds)
        if count == -EINTR { return [] }
        return numbers.prefix(Int(try SystemError.checked(count, "epoll_wait"))).map { Int($0) }
    }
}
