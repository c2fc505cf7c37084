internal import Synchronization

/// A bounded queue from any thread to the thread that polls its descriptor; never blocks.
///
/// ```
/// let mailbox = try Mailbox<Command>(capacity: 64)
/// guard mailbox.push(command) else { return .busy }
/// for command in mailbox.drain() { handle(command) }
/// ```
public final class Mailbox<Element: Sendable>: Sendable {
    /// The maximum number of queued elements.
    public let capacity: Int
    private let waiting = Mutex<[Element]>([])
    private let bell: EventFD

    /// Creates an empty mailbox.
    public init(capacity: Int) throws(SystemError) {
        self.capacity = capacity
        bell = try EventFD()
    }

    /// The descriptor; readable while elements are queued.
    public var descriptor: Int32 { bell.descriptor }

    /// The number of queued elements.
    public var count: Int { waiting.withLock { $0.count } }

    /// Appends an element; returns false if the mailbox is full.
    public func push(_ element: Element) -> Bool {
        let before: Int? = waiting.withLock { elements in
            guard elements.count < capacity else { return nil }
            elements.append(element)
            return elements.count - 1
        }
        // One signal for the first of a batch: a signal costs a system call.
        if before == 0 { bell.signal() }
        return before != nil
    }

    /// Removes and returns all elements, oldest first.
    public func drain() -> [Element] {
        // Drain the counter before taking elements: an element pushed in between is taken now, and its signal only
        // causes a spurious wake-up.
        bell.drain()
        return waiting.withLock { elements in
            defer { elements = [] }
            return elements
        }
    }
}
