package import EventSourcing
package import JSON
import Vocabulary

/// The headers of feed messages. Every limit is checked when they are read.
package enum FeedHeader {
    /// Parses a header; any error becomes `unreadableHeader`.
    package static func parse<T>(
        _ header: [UInt8], _ read: (JSONValue) throws(JSONError) -> T
    ) throws(BusAnomaly) -> T {
        do throws(JSONError) { return try read(try JSONValue.parse(header)) } catch { throw .unreadableHeader }
    }

    static func write(_ body: (inout JSONWriter) -> Void) -> [UInt8] {
        var json = JSONWriter(reserving: 256)
        json.object(body)
        return json.bytes
    }

    static func feed(_ json: JSONValue) throws(JSONError) -> String {
        let feed: String = try json.get("feed")
        guard (1...BusLimits.feedBytes).contains(feed.utf8.count) else { throw json.error("expected a feed's name") }
        return feed
    }

    /// Reads a hash of 32 bytes in hex.
    static func hash(_ json: JSONValue, _ key: String) throws(JSONError) -> [UInt8] {
        let text: String = try json.get(key)
        guard let hash = Hex.decode(text), hash.count == BusLimits.hashBytes else {
            throw json.error("expected a hash of 32 bytes")
        }
        return hash
    }
}

extension Head {
    package init(header json: JSONValue) throws(JSONError) {
        self.init(
            feed: try FeedHeader.feed(json), epoch: try json.get("epoch"), position: try json.get("position"),
            hash: try FeedHeader.hash(json, "hash"))
    }

    func write(fields json: inout JSONWriter) {
        json.field("feed", feed)
        json.field("epoch", epoch)
        json.field("position", position)
        json.field("hash", Hex.encode(hash))
    }

    /// The header of a hello or a head notification.
    package var header: [UInt8] { FeedHeader.write(write(fields:)) }
}

/// The header of `pageAsked`: requests the entries after the subscriber's checkpoint.
package struct PageRequest: Equatable {
    package let feed: String
    /// The checkpoint of the last entry that was read; nil before the first.
    package let after: Checkpoint?
    /// Whether the subscriber can decompress pages.
    package let unpacks: Bool

    package init(feed: String, after: Checkpoint?, unpacks: Bool = false) {
        self.feed = feed
        self.after = after
        self.unpacks = unpacks
    }

    package init(header json: JSONValue) throws(JSONError) {
        feed = try FeedHeader.feed(json)
        let position: Position = try json.find("after") ?? 0
        guard position < Position.max - UInt64(EventLimits.pageEvents) else { throw json.error("expected a position") }
        after =
            position == 0
            ? nil
            : Checkpoint(
                epoch: try json.get("epoch"), position: position, hash: try FeedHeader.hash(json, "hash"))
        unpacks = try json.find("zstd") ?? false
    }

    package var header: [UInt8] {
        FeedHeader.write { json in
            json.field("feed", feed)
            json.field("zstd", ifPresent: unpacks ? true : nil)
            guard let after else { return }
            json.field("epoch", after.epoch)
            json.field("after", after.position)
            json.field("hash", Hex.encode(after.hash))
        }
    }
}

/// The header of a `page`: the head, and the entries in the payload.
package struct PageHeader: Equatable {
    package let head: Head
    package let first: Position
    package let count: Int
    /// The chain before the very first entry of a journal; nil in later pages.
    package let start: [UInt8]?
    /// The length of the decompressed payload; nil if it is not compressed.
    package let unpacked: Int?

    package init(head: Head, first: Position, count: Int, start: [UInt8]?, unpacked: Int? = nil) {
        self.head = head
        self.first = first
        self.count = count
        self.start = start
        self.unpacked = unpacked
    }

    package init(header json: JSONValue) throws(JSONError) {
        head = try Head(header: json)
        first = try json.get("first")
        count = try json.get("count")
        start = json["start"] == nil ? nil : try FeedHeader.hash(json, "start")
        unpacked = try json.find("zstd")
    }

    package var header: [UInt8] {
        FeedHeader.write { json in
            head.write(fields: &json)
            json.field("first", first)
            json.field("count", count)
            json.field("start", ifPresent: start.map { Hex.encode($0) })
            json.field("zstd", ifPresent: unpacked)
        }
    }
}

/// The header of `refused`: why no page was sent.
package struct PageRejection: Equatable {
    package enum Reason: String, JSONReadable, JSONWritable {
        case unknownEpoch, diverged, beyondHead
        /// Temporary: the journal cannot be read, or there are too many requests.
        case busy
        case unknownFeed
    }

    package let feed: String
    package let reason: Reason
    /// The journal's head; nil if it is unknown.
    package let head: Head?

    package init(feed: String, reason: Reason, head: Head? = nil) {
        self.feed = feed
        self.reason = reason
        self.head = head
    }

    package init(header json: JSONValue) throws(JSONError) {
        feed = try FeedHeader.feed(json)
        reason = try json.get("reason")
        head = json["epoch"] == nil ? nil : try Head(header: json)
    }

    package var header: [UInt8] {
        FeedHeader.write { json in
            if let head { head.write(fields: &json) } else { json.field("feed", feed) }
            json.field("reason", reason)
        }
    }
}
