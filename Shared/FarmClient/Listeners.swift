import Synchronization

/// The streams of a notification; each yields once for all notifications since it was last read.
final class Listeners: Sendable {
    private let waiting = Mutex<[UInt64: AsyncStream<Void>.Continuation]>([:])

    func stream() -> AsyncStream<Void> {
        AsyncStream(bufferingPolicy: .bufferingNewest(1)) { continuation in
            let name = waiting.withLock { waiting in
                let name = (waiting.keys.max() ?? 0) + 1
                waiting[name] = continuation
                return name
            }
            continuation.onTermination = { [weak self] _ in
                _ = self?.waiting.withLock { waiting in waiting.removeValue(forKey: name) }
            }
        }
    }

    func tell() {
        // Outside the lock: a notified stream may be cancelled at once.
        for continuation in waiting.withLock({ Array($0.values) }) { continuation.yield() }
    }

    func finish() {
        for continuation in waiting.withLock({ Array($0.values) }) { continuation.finish() }
    }
}
