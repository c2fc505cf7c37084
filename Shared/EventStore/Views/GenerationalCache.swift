/// A dictionary that forgets what was not used for long, at about `limit` entries, or fewer where some weigh more.
///
/// Two generations instead of a list: an entry that is found in the old one moves to the young one; when that has half
/// the limit it becomes the old one, and what nobody asked for meanwhile is gone.
package struct GenerationalCache<Key: Hashable, Value> {
    private var young: [Key: Value] = [:]
    private var old: [Key: Value] = [:]
    private let half: Int
    private let weight: (Value) -> Int
    /// Of the entries of the young generation.
    private var youngWeight = 0

    /// - Parameter weight: for how many entries of the limit one counts.
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
