import Foundation
import Synchronization

/// A counted signal from another thread.
final class Signal: Sendable {
    private let semaphore = DispatchSemaphore(value: 0)
    private let times = Mutex(0)

    var count: Int { times.withLock { $0 } }

    func raise() {
        times.withLock { $0 += 1 }
        semaphore.signal()
    }

    /// Waits for a signal; returns false after the timeout.
    func wait(seconds: Double = 20) -> Bool { semaphore.wait(timeout: .now() + seconds) == .success }
}
