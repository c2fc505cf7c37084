import Synchronization

/// A list to which several threads append.
final class Shelf<Thing: Sendable>: Sendable {
    private let things = Mutex<[Thing]>([])

    func put(_ thing: Thing) { things.withLock { $0.append(thing) } }

    func clear() { things.withLock { $0 = [] } }

    var all: [Thing] { things.withLock { $0 } }
}
