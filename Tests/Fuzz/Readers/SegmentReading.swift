import Crypto
import EventSourcing
import Foundation
import TestKit
import Vocabulary
import Wire

@testable import EventStore

/// A sealed segment, as it is and with its digests and signature corrected, to reach the code after verification.
enum SegmentReading {
    private static let feed = "test/farm-0"
    private static let key = Result { try Ed25519Key(seed: [UInt8](repeating: 7, count: 32)) }
    private static let signer = Result { NoteSigner(name: feed, try key.get()) }
    private static let file = FileManager.default.temporaryDirectory.path + "/furrow-\(UUID().uuidString).segment"

    static func read(_ bytes: [UInt8]) {
        walk(bytes)
        if let sealed = sealed(bytes), sealed != bytes { walk(sealed) }
    }

    private static func walk(_ bytes: [UInt8]) {
        do throws(LogFailure) {
            let segment = try Segment(bytes: bytes)
            let again = try SegmentHead(note: segment.note)
            precondition(again == segment.head && segment.head.bodyBytes + segment.note.count == bytes.count)
            try look(at: segment)
            try segment.verify()
            try compareWithFile(bytes, segment)
        } catch { return }
    }

    private static func look(at segment: Segment) throws(LogFailure) {
        for (number, block) in segment.head.blocks.enumerated() {
            precondition(segment.block(holding: block.positions.lowerBound) == number, "a position is not found")
            precondition(segment.block(holding: block.positions.upperBound) == number, "a position is not found")
            let entries = try segment.entries(inBlock: number)
            precondition(entries.map(\.position) == Array(block.positions), "other positions than in the head")
        }
        precondition(segment.block(holding: segment.head.positions.upperBound + 1) == nil, "a position too many")
    }

    /// Checks that a valid segment is read from the disk without a change.
    private static func compareWithFile(_ bytes: [UInt8], _ segment: Segment) throws(LogFailure) {
        guard FileManager.default.createFile(atPath: file, contents: Data(bytes)) else { return }
        defer { try? FileManager.default.removeItem(atPath: file) }
        let stored = try Segment(path: file)
        precondition(stored.head == segment.head && stored.note == segment.note, "the file gives another segment")
        try stored.verify()
    }

    /// Returns the head with the digests of the following blocks, signed; nil if there is no such head.
    private static func sealed(_ bytes: [UInt8]) -> [UInt8]? {
        guard bytes.starts(with: "furrow-segment/1\n".utf8), let end = bytes.firstRange(of: Array("\n\n".utf8)) else {
            return nil
        }
        var body = bytes[end.upperBound...]
        if body.starts(with: "—".utf8), let line = body.firstIndex(of: 0x0A) { body = body[(line + 1)...] }
        var lines = String(decoding: bytes[..<end.lowerBound], as: UTF8.self).split(
            separator: "\n", omittingEmptySubsequences: false)
        var rest = body
        for index in lines.indices.dropFirst(8) {
            var words = lines[index].split(separator: " ", omittingEmptySubsequences: false)
            guard words.count == 5, let count = Int(words[1]), count >= 0 else { continue }
            words[3] = Substring(BaseEncoding.base64.encode(SHA256.hash(Array(rest.prefix(count)))))
            rest = rest.dropFirst(count)
            lines[index] = Substring(words.joined(separator: " "))
        }
        let text = lines.joined(separator: "\n") + "\n"
        guard !text.utf8.contains(where: { $0 < 0x20 && $0 != 0x0A }), let signer = attempt({ try signer.get() }),
            let signer, let note = attempt({ try SignedNote(signing: text, with: [signer]) })
        else { return nil }
        return Array(note.note.utf8) + body
    }

    private static func attempt<Value>(_ body: () throws -> Value) -> Value? {
        do { return try body() } catch { return nil }
    }
}

extension SegmentReading {
    /// Returns segments of one block and of two, and heads with an error in each part.
    static func seeds() throws -> [[UInt8]] {
        let golden = try ["farm-founded", "harvested", "stored"].map {
            try Recordings.event("farm.furrow.trace.\($0).v1")
        }
        let sound = try segment(golden)
        let long = try segment((0..<258).map { Array("{\"n\":\($0)}".utf8) })
        let text = String(decoding: sound.prefix { $0 < 0x80 }, as: UTF8.self)
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        let other = BaseEncoding.base64.encode([UInt8](repeating: 1, count: 32))
        let words = lines[8].split(separator: " ").map(String.init)
        func with(_ line: Int, _ text: String) -> [UInt8] {
            var lines = lines
            lines[line] = text
            return Array(lines.joined(separator: "\n").utf8) + sound.dropFirst(text.utf8.count)
        }
        func block(_ place: Int, _ word: String) -> [UInt8] {
            with(8, words.enumerated().map { $0 == place ? word : $1 }.joined(separator: " "))
        }
        let note = try SignedNote(
            signing: "furrow-segment/1\n", with: [try signer.get()].compactMap(\.self)
        ).note
        let twice = try sound.prefix(Segment(bytes: sound).note.count)
        return [
            sound, long, try segment([Array("{}".utf8)]),
            try segment(golden, signing: NoteSigner(name: feed, P256Key.generate())), with(0, "furrow-segment/2"),
            with(1, "nobody"),
            with(2, "x"), with(3, "1 4"), with(3, "0 3"), with(3, "1 3 5"), with(4, other), with(5, other),
            with(6, other), with(6, "x"), with(7, "key"), with(7, lines[7].replacing("test", with: "best")),
            block(0, "300"), block(0, "2"), block(1, "0"), block(2, "1"), block(2, "1048577"), block(3, "x"),
            block(4, other), with(8, "1 2 3"), Array(note.utf8),
            twice + twice.suffix(140) + sound.dropFirst(twice.count),
            sound + [0], Array(sound.dropLast()),
        ]
    }

    private static func segment(_ events: [[UInt8]], signing other: NoteSigner? = nil) throws -> [UInt8] {
        var hash = [UInt8](repeating: 0, count: 32)
        var making = try SegmentWriter(feed: feed, epoch: Epoch(7), from: 1, after: hash)
        for (index, bytes) in events.enumerated() {
            hash = Chain.next(after: hash, bytes)
            try making.add(Entry(position: Position(index + 1), hash: hash, bytes: bytes))
        }
        guard let signer = try other ?? signer.get() else { return [] }
        return try making.finish(signing: signer).file
    }
}
