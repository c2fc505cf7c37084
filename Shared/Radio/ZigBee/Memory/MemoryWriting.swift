/// Writes places of a coordinator's memory, one request after the other.
public struct MemoryWriting: Sendable {
    /// A place and what it is to contain.
    public struct Content: Hashable, Sendable {
        public let place: MemoryPlace
        public let bytes: [UInt8]

        public init(_ place: MemoryPlace, _ bytes: [UInt8]) {
            self.place = place
            self.bytes = bytes
        }
    }

    private enum Step { case measuring, deleting(UInt16), creating, writing }

    private var contents: ArraySlice<Content>
    private var step = Step.measuring
    private var written = 0
    private var tries = 0
    /// Why writing failed; nil while that is open.
    public private(set) var failure: String?

    public init(_ contents: [Content]) {
        self.contents = contents[...]
    }

    public var isDone: Bool { contents.isEmpty }

    /// Returns the request to send now; nil if nothing is left to send. A request that is sent too often fails.
    public mutating func request() -> ZNPMessage? {
        guard failure == nil, let content = contents.first else { return nil }
        tries += 1
        guard tries <= 3 else {
            failure = "the coordinator does not respond while its memory is written"
            return nil
        }
        let part = Array(content.bytes.dropFirst(written).prefix(MemoryPlace.partBytes))
        switch (content.place, step) {
        case (.item(let item), .measuring): return .memory(.askLength(item: item))
        case (.item(let item), .deleting(let length)): return .memory(.delete(item: item, length: length))
        case (.item(let item), .creating):
            return .memory(.create(item: item, length: UInt16(content.bytes.count), value: part))
        case (.item(let item), .writing):
            return .memory(.writePart(item: item, offset: UInt16(written), value: part))
        case (.entry(let table, let entry), .measuring): return .table(.askLength(table: table, entry: entry))
        case (.entry(let table, let entry), .creating):
            return .table(.create(table: table, entry: entry, length: UInt32(content.bytes.count)))
        case (.entry(let table, let entry), _):
            return .table(.write(table: table, entry: entry, value: content.bytes))
        }
    }

    /// Takes a message of the coordinator. Returns whether the next request can be sent.
    public mutating func receive(_ message: ZNPMessage) -> Bool {
        guard failure == nil, let content = contents.first else { return false }
        switch (step, message) {
        case (.measuring, .memory(.length(let length))): return measured(Int(length), content)
        case (.measuring, .table(.length(let length))): return measured(Int(length), content)
        case (.deleting, .memory(.deleted(let status))): return status == 0 ? go(.creating) : fail()
        // 9: the item did not exist, and was created.
        case (.creating, .memory(.created(let status))): return status == 0 || status == 9 ? go(.writing) : fail()
        case (.creating, .table(.created(let status))): return status == 0 || status == 9 ? go(.writing) : fail()
        case (.writing, .memory(.partWritten(let status))): return status == 0 ? advance(content) : fail()
        case (.writing, .table(.written(let status))):
            written = content.bytes.count
            return status == 0 ? advance(content) : fail()
        case (_, .refused): return fail()
        default: return false
        }
    }

    private mutating func measured(_ length: Int, _ content: Content) -> Bool {
        guard length != content.bytes.count else { return go(.writing) }
        guard length > 0 else { return go(.creating) }
        guard case .item = content.place else { return fail() }
        return go(.deleting(UInt16(length)))
    }

    private mutating func go(_ step: Step) -> Bool {
        (self.step, tries) = (step, 0)
        return true
    }

    private mutating func advance(_ content: Content) -> Bool {
        if case .item = content.place { written += min(MemoryPlace.partBytes, content.bytes.count - written) }
        tries = 0
        guard written >= content.bytes.count else { return true }
        contents.removeFirst()
        (step, written) = (.measuring, 0)
        return true
    }

    private mutating func fail() -> Bool {
        failure = "the coordinator refuses to store a part of the network"
        return false
    }
}
