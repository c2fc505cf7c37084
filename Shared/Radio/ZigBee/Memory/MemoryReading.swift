/// Reads places of a coordinator's memory, one request after the other.
public struct MemoryReading: Sendable {
    /// What is read: one place, or a table from its first place on, until a place is missing.
    public enum Wish: Hashable, Sendable {
        case place(MemoryPlace)
        case table(from: MemoryPlace, atMost: Int)
    }

    private var wishes: ArraySlice<Wish>
    private var place: MemoryPlace?
    private var left = 0
    private var length: Int?
    private var bytes: [UInt8] = []
    private var isSecret = false
    private var tries = 0
    /// What was read; places that do not exist are missing.
    public private(set) var contents: [MemoryPlace: [UInt8]] = [:]
    /// Why reading failed; nil while that is open.
    public private(set) var failure: String?

    public init(_ wishes: [Wish]) {
        self.wishes = wishes[...]
        begin()
    }

    public var isDone: Bool { place == nil }

    private mutating func begin() {
        switch wishes.first {
        case .place(let first): (place, left) = (first, 1)
        case .table(let first, let most): (place, left) = (first, most)
        case nil: place = nil
        }
        (length, bytes, isSecret, tries) = (nil, [], false, 0)
    }

    /// Returns the request to send now; nil if nothing is left to send. A request that is sent too often fails.
    public mutating func request() -> ZNPMessage? {
        guard failure == nil, let place else { return nil }
        tries += 1
        guard tries <= 3 else {
            failure = "the coordinator does not respond while its memory is read"
            return nil
        }
        switch place {
        case .item(let item):
            guard length != nil else { return .memory(.askLength(item: item)) }
            return .memory(
                isSecret ? .readSetting(item: UInt8(item)) : .readPart(item: item, offset: UInt16(bytes.count)))
        case .entry(let table, let entry):
            guard let length else { return .table(.askLength(table: table, entry: entry)) }
            return .table(.read(table: table, entry: entry, length: UInt8(clamping: length)))
        }
    }

    /// Takes a message of the coordinator. Returns whether the next request can be sent.
    public mutating func receive(_ message: ZNPMessage) -> Bool {
        guard failure == nil, let place else { return false }
        switch (place, message) {
        case (.item, .memory(.length(let length))) where self.length == nil: return take(length: Int(length))
        case (.entry, .table(.length(let length))) where self.length == nil: return take(length: Int(length))
        case (.item, .memory(.part(0, let part))) where length != nil: return take(part)
        case (.item(let item), .memory(.part)) where length != nil:
            // Z-Stack 1.2 gives its secrets as settings only.
            guard item < 256, !isSecret else { return fail() }
            isSecret = true
            return true
        case (.item(let item), .memory(.setting(let status, let named, let part))) where UInt16(named) == item:
            return status == 0 ? take(part) : fail()
        case (.entry, .table(.value(let status, let part))) where length != nil:
            return status == 0 ? take(part) : fail()
        case (_, .refused): return fail()
        default: return false
        }
    }

    private mutating func take(length: Int) -> Bool {
        tries = 0
        guard length > 0 else {
            // The end of a table, or an item that this firmware does not have.
            wishes.removeFirst()
            begin()
            return true
        }
        self.length = length
        return true
    }

    private mutating func take(_ part: [UInt8]) -> Bool {
        tries = 0
        guard let place, let length, !part.isEmpty else { return fail() }
        bytes += part
        guard bytes.count >= length || isSecret else { return true }
        contents[place] = bytes
        left -= 1
        guard left > 0 else {
            wishes.removeFirst()
            begin()
            return true
        }
        self.place = place.next
        (self.length, bytes, isSecret) = (nil, [], false)
        return true
    }

    private mutating func fail() -> Bool {
        failure = "the coordinator refuses to read a part of its memory"
        return false
    }
}
