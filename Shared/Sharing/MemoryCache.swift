/// The responses that were used last, so that they need not be read from the disk.
struct MemoryCache {
    private struct Entry {
        let response: StoredResponse
        var used: UInt64
    }

    private var entries: [CacheKey: Entry] = [:]
    private var bytes = 0
    private var uses: UInt64 = 0

    mutating func find(_ key: CacheKey) -> StoredResponse? {
        uses += 1
        entries[key]?.used = uses
        return entries[key]?.response
    }

    /// Keeps a response, unless it alone would take a quarter of the memory.
    mutating func keep(_ response: StoredResponse, for key: CacheKey) {
        remove(key)
        guard response.size <= SharingLimits.memoryBytes / 4 else { return }
        uses += 1
        entries[key] = Entry(response: response, used: uses)
        bytes += response.size
        while bytes > SharingLimits.memoryBytes || entries.count > SharingLimits.memoryEntries {
            guard let oldest = entries.min(by: { $0.value.used < $1.value.used }) else { return }
            remove(oldest.key)
        }
    }

    mutating func remove(_ key: CacheKey) {
        if let entry = entries.removeValue(forKey: key) { bytes -= entry.response.size }
    }
}
