import Foundation
import Synchronization

/// Something another thread says once, and how often it was said.
final class Signal: Sendable {
    private let semaphore = DispatchSemaphore(value: 0)
    private let times = Mutex(0)

    var count: Int { times.withLock { $0 } }

    func raise() {
        times.withLock { $0 += 1 }
        semaphore.signal()
    }

    /// False when it was not said in time.
    func wait(seconds: Double = 20) -> Bool { semaphore.wait(timeout: .now() + seconds) == .success }
}
