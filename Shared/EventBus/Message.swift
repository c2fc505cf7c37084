/// One message of the bus: a head of nine bytes (version and kind, request), a JSON header and a payload.
package struct Message: Equatable {
    package enum Kind: UInt8 {
        /// A feed announces itself, or a subscriber requests the list of feeds.
        case hello = 1
        /// `notify` notifies of a new head. The others request, carry and reject pages, and carry requests and
        /// responses.
        case notify, pageAsked, page, refused, asked, answered
    }

    static let version: UInt8 = 1
    private static let headBytes = 9

    package let kind: Kind
    /// The number that a request and its response share within one connection; 0 for other messages.
    package let request: UInt64
    package let header: [UInt8]
    package var payload: [UInt8] = []

    package var frames: [[UInt8]] { [head, header, payload] }

    /// The first frame: version, kind and request number.
    var head: [UInt8] {
        var head = [UInt8](repeating: Self.version << 4 | kind.rawValue, count: Self.headBytes)
        for index in 1..<Self.headBytes { head[index] = UInt8(truncatingIfNeeded: request >> UInt64(64 - index * 8)) }
        return head
    }

    package init(_ kind: Kind, request: UInt64 = 0, header: [UInt8], payload: [UInt8] = []) {
        self.kind = kind
        self.request = request
        self.header = header
        self.payload = payload
    }

    /// Parses the frames of a message, without the routing frames. Throws an anomaly if they are malformed or too
    /// large.
    package init(_ frames: some RandomAccessCollection<[UInt8]>) throws(BusAnomaly) {
        var rest = frames.makeIterator()
        guard frames.count == 3, let head = rest.next(), let header = rest.next(), let payload = rest.next(),
            head.count == Self.headBytes, head[0] >> 4 == Self.version, let kind = Kind(rawValue: head[0] & 0xF)
        else { throw .malformedMessage }
        guard header.count <= BusLimits.headerBytes, payload.count <= BusLimits.frameBytes else {
            throw .oversizedMessage
        }
        self.kind = kind
        request = head.dropFirst().reduce(0) { $0 << 8 | UInt64($1) }
        self.header = header
        self.payload = payload
    }
}
