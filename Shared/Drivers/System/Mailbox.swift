internal import Synchronization

/// Passes values from any thread to the one that polls its descriptor; bounded, never blocking.
public final class Mailbox<Element: Sendable>: Sendable {
    /// How many elements wait at most.
    public let capacity: Int
    private let waiting = Mutex<[Element]>([])
    private let bell: EventFD

    public init(capacity: Int) throws(SystemError) {
        self.capacity = capacity
        bell = try EventFD()
    }

    /// Readable while elements wait.
    public var descriptor: Int32 { bell.descriptor }

    public var count: Int { waiting.withLock { $0.count } }

    /// Adds an element at the end; false, and the element is not taken, where the mailbox is full.
    public func push(_ element: Element) -> Bool {
        let before: Int? = waiting.withLock { elements in
            guard elements.count < capacity else { return nil }
            elements.append(element)
            return elements.count - 1
        }
        // One ring for the first of a batch: a ring costs a system call.
        if before == 0 { bell.signal() }
        return before != nil
    }

    /// Takes everything that waits, oldest first.
    public func drain() -> [Element] {
        // Quiet first, then take: an element that comes in between is taken now and rings once too often, never too
        // seldom.
        bell.drain()
        return waiting.withLock { elements in
            defer { elements = [] }
            return elements
        }
    }
}
