/// A dictionary that forgets what was not used for long, at about `limit` entries.
///
/// Two generations instead of a list: an entry that is found in the old one moves to the young one; when that has half
/// the limit it becomes the old one, and what nobody asked for meanwhile is gone.
struct Generations<Key: Hashable, Value> {
    private var young: [Key: Value] = [:]
    private var old: [Key: Value] = [:]
    private let half: Int

    init(limit: Int) {
        half = max(1, limit / 2)
    }

    subscript(key: Key) -> Value? {
        mutating get {
            if let value = young[key] { return value }
            guard let value = old[key] else { return nil }
            insert(value, for: key)
            return value
        }
    }

    mutating func insert(_ value: Value, for key: Key) {
        if young.count >= half {
            old = young
            young = [:]
        }
        young[key] = value
    }

    mutating func remove(_ key: Key) {
        young[key] = nil
        old[key] = nil
    }

    mutating func removeAll() {
        young = [:]
        old = [:]
    }

    var count: Int { young.count + old.count }
}
