/// The pictures that were used last, as the first stage of the cache. The second is the database file.
struct PictureMemory {
    private let most: Int
    private var bytes = 0
    private var uses = 0
    private var pictures: [String: (bytes: [UInt8], used: Int)] = [:]

    /// - Parameter most: The limit of all pictures together, in bytes.
    init(bytes most: Int) {
        self.most = most
    }

    mutating func find(_ name: String) -> [UInt8]? {
        uses += 1
        pictures[name]?.used = uses
        return pictures[name]?.bytes
    }

    /// Adds a picture; those that were not used for the longest time make room. One that is too large is not added.
    mutating func put(_ picture: [UInt8], as name: String) {
        guard picture.count <= most, pictures[name] == nil else { return }
        while bytes + picture.count > most, let oldest = pictures.min(by: { $0.value.used < $1.value.used }) {
            bytes -= oldest.value.bytes.count
            pictures[oldest.key] = nil
        }
        uses += 1
        bytes += picture.count
        pictures[name] = (picture, uses)
    }
}
