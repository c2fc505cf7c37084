package import EventSourcing
package import JSON
package import Vocabulary

/// A segment as a replicated log has it: the file, and what the tables of a journal say about the segment's events.
/// For pruned events that cannot be read from the file.
///
/// As bytes it is a line `furrow-replicated/1 IDS STREAMS FILE` with the lengths of the other parts: the ids in order
/// of positions (16 bytes each), the versions of streams as JSON, and the file.
package struct ReplicatedSegment: Equatable, Sendable {
    /// The version of a stream.
    package struct StreamVersion: JSONReadable, JSONRecord, Equatable, Sendable {
        package let stream: String
        package let version: Int

        package init(stream: String, version: Int) {
            self.stream = stream
            self.version = version
        }

        package init(json: borrowing JSONValue) throws(JSONError) {
            self.init(stream: try json.get("stream"), version: try json.get("version"))
        }

        package func write(fields json: inout JSONWriter) {
            json.field("stream", stream)
            json.field("version", version)
        }
    }

    /// The ids of the segment's events, in order.
    package let ids: [UUID]
    /// The versions of streams: at least of those whose events were pruned.
    package let streams: [StreamVersion]
    /// The file.
    package let file: [UInt8]

    package init(ids: [UUID], streams: [StreamVersion], file: [UInt8]) {
        self.ids = ids
        self.streams = streams
        self.file = file
    }

    /// Reads the bytes of a whole segment.
    package init(_ bytes: [UInt8]) throws(LogFailure) {
        let parts = try Parts(bytes)
        guard bytes.count == parts.file.upperBound else { throw Parts.failure }
        do throws(JSONError) {
            streams = try [StreamVersion](json: JSONValue.parse(Array(bytes[parts.streams])))
        } catch {
            throw Parts.failure
        }
        ids = stride(from: parts.ids.lowerBound, to: parts.ids.upperBound, by: 16).map { start in
            UUID(bytes: Array(bytes[start..<start + 16]))
        }
        file = Array(bytes[parts.file])
    }

    /// The segment as bytes.
    package var bytes: [UInt8] {
        var json = JSONWriter()
        json.array { json in
            for stream in streams { json.element(stream) }
        }
        let line = "\(Parts.format) \(ids.count * 16) \(json.bytes.count) \(file.count)\n"
        return Array(line.utf8) + ids.flatMap(\.bytes) + json.bytes + file
    }

    /// Returns the number of bytes of the segment that begins with these.
    package static func size(beginning bytes: [UInt8]) throws(LogFailure) -> Int {
        try Parts(bytes).file.upperBound
    }

    /// Where the parts are.
    private struct Parts {
        let ids: Range<Int>
        let streams: Range<Int>
        let file: Range<Int>

        init(_ bytes: [UInt8]) throws(LogFailure) {
            guard let end = bytes.prefix(Self.lineBytes).firstIndex(of: UInt8(ascii: "\n")) else { throw Self.failure }
            let words = String(decoding: bytes[..<end], as: UTF8.self).split(separator: " ")
            let sizes = words.dropFirst().compactMap { Int($0) }
            guard words.first.map(String.init) == Self.format, sizes.count == 3,
                sizes.allSatisfy({ (0...2 * StoreLimits.segmentBytes).contains($0) }), sizes[0].isMultiple(of: 16)
            else { throw Self.failure }
            ids = (end + 1)..<(end + 1 + sizes[0])
            streams = ids.upperBound..<(ids.upperBound + sizes[1])
            file = streams.upperBound..<(streams.upperBound + sizes[2])
        }

        static let format = "furrow-replicated/1"
        /// Bytes of the longest first line.
        static let lineBytes = 64
        static let failure = LogFailure(
            operation: "catch up", message: "a segment of the replicated log is damaged")
    }
}
