/// A dictionary that evicts unused entries at about `limit` entries, or at fewer if some have a greater weight.
///
/// It has two generations instead of a list ordered by use. An entry that is read in the old generation moves to the
/// young one. When the young one reaches half the limit, it becomes the old one, and the former old one is dropped.
package struct GenerationalCache<Key: Hashable, Value> {
    private var young: [Key: Value] = [:]
    private var old: [Key: Value] = [:]
    private let half: Int
    private let weight: (Value) -> Int
    /// The total weight of the young generation.
    private var youngWeight = 0

    /// - Parameter weight: returns how many entries of the limit a value takes.
    package init(limit: Int, weight: @escaping (Value) -> Int = { _ in 1 }) {
        half = max(1, limit / 2)
        self.weight = weight
    }

    package subscript(key: Key) -> Value? {
        mutating get {
            if let value = young[key] { return value }
            guard let value = old[key] else { return nil }
            insert(value, for: key)
            return value
        }
    }

    package mutating func insert(_ value: Value, for key: Key) {
        if youngWeight >= half {
            old = young
            young = [:]
            youngWeight = 0
        }
        youngWeight += weight(value)
        if let before = young.updateValue(value, forKey: key) { youngWeight -= weight(before) }
    }

    package mutating func remove(_ key: Key) {
        if let before = young.removeValue(forKey: key) { youngWeight -= weight(before) }
        old[key] = nil
    }

    package mutating func removeAll() {
        young = [:]
        old = [:]
        youngWeight = 0
    }

    package var count: Int { young.count + old.count }
}
