import Crypto
import EventSourcing
import Foundation
import System
import TestKit
import Testing
import Vocabulary
import Wire

@testable import EventStore

@Suite("Segments")
struct SegmentTests {
    static let feed = "test/farm-0"
    static let now = Instant(microseconds: 1_777_792_500_000_000)
    private let signer: NoteSigner

    init() throws {
        let key = try Ed25519Key(seed: [UInt8](repeating: 7, count: 32))
        signer = try #require(NoteSigner(name: Self.feed, key))
    }

    /// Returns the entries of a journal of `count` events with `text`, the hash before the first, and the epoch.
    static func entries(_ count: Int, text: (Int) -> String) throws -> (entries: [Entry], start: [UInt8], epoch: Epoch)
    {
        let log = try MemoryLog(feed: feed, why: "test", at: now, chance: .seeded(7))
        for number in 1..<count {
            let draft = Draft(Noted(number, text(number)), in: "note/\(number % 5)", by: .service("test"))
            _ = try log.stage(Commit([draft]), at: now)
        }
        try log.commit()
        let reader = try log.reader()
        return (try EventLogContract.audit(reader), try #require(try reader.hash(at: 0)), log.head.epoch)
    }

    private func segment(
        _ entries: [Entry], after hash: [UInt8], _ epoch: Epoch, by signer: NoteSigner
    ) throws -> [UInt8] {
        let first = try #require(entries.first?.position)
        var making = try SegmentWriter(feed: Self.feed, epoch: epoch, from: first, after: hash)
        for entry in entries { try making.add(entry) }
        return try making.finish(signing: signer).file
    }

    private func noise(_ number: Int, bytes: Int) -> String {
        var random = SplitMix64(seed: UInt64(number))
        return BaseEncoding.base64.encode((0..<bytes).map { _ in UInt8.random(in: 0...255, using: &random) })
    }

    @Test func `a segment that cannot be opened for lack of descriptors is not reported as damaged`() throws {
        let (entries, start, epoch) = try Self.entries(10) { "note \($0)" }
        let bytes = try segment(entries, after: start, epoch, by: signer)
        for (code, isAway) in [(EMFILE, true), (ENFILE, true), (ENOMEM, true), (EIO, false)] {
            let segment = try Segment(bytes, size: bytes.count) { (_, _) throws(SystemError) in
                throw SystemError(code: code, operation: "open")
            }
            let failure = #expect(throws: LogFailure.self) { try segment.entries(inBlock: 0) }
            #expect(failure?.isAway == isAway)
        }
    }

    @Test func `a segment returns every entry it was written from, with an intact chain`() throws {
        let (entries, start, epoch) = try Self.entries(1_000) { "note \($0)" }
        for (from, to) in [(0, 1_000), (1, 2), (300, 900), (0, 256), (0, 257)] {
            let run = Array(entries[from..<to])
            let before = from == 0 ? start : entries[from - 1].hash
            let segment = try Segment(bytes: try segment(run, after: before, epoch, by: signer))
            #expect(segment.head.positions == Position(from + 1)...Position(to))
            try segment.verify()
            var read: [Entry] = []
            for number in segment.head.blocks.indices { read += try segment.entries(inBlock: number) }
            #expect(read == run)
            for entry in run where entry.position.isMultiple(of: 97) {
                let number = try #require(segment.block(holding: entry.position))
                #expect(try segment.entries(inBlock: number).contains(entry))
            }
            #expect(segment.block(holding: Position(from)) == nil)
            #expect(segment.block(holding: Position(to + 1)) == nil)
        }
        let again = try segment(entries, after: start, epoch, by: signer)
        #expect(try segment(entries, after: start, epoch, by: signer) == again)
    }

    @Test func `a segment writer accepts events of any size and refuses one that does not follow`() throws {
        let (entries, start, epoch) = try Self.entries(60) { String(repeating: "x", count: $0 * 1_000) }
        let segment = try Segment(bytes: try segment(entries, after: start, epoch, by: signer))
        try segment.verify()
        #expect(segment.head.blocks.count > 1)
        var making = try SegmentWriter(feed: Self.feed, epoch: epoch, from: 1, after: start)
        #expect(throws: LogFailure.self) { try making.add(entries[1]) }
        try making.add(entries[0])
        let other = Entry(position: 2, hash: entries[1].hash, bytes: entries[2].bytes)
        #expect(throws: LogFailure.self) { try making.add(other) }
    }

    /// F07: flips every bit of a file of 64 KiB, one after the other.
    @Test func `every flipped bit in a segment is reported with its positions and nothing of it is read`() throws {
        let (entries, start, epoch) = try Self.entries(1_500) { noise($0, bytes: 22) }
        var count = 300
        var file: [UInt8] = []
        while file.count < 65_536 {
            count += 50
            file = try segment(Array(entries.prefix(count)), after: start, epoch, by: signer)
        }
        let sound = try Segment(bytes: file)
        let head = sound.note.count
        var (inHead, inBlocks, wrong) = (0, 0, 0)
        for index in 0..<head {
            for bit in 0..<8 {
                file[index] ^= 1 << bit
                defer { file[index] ^= 1 << bit }
                do throws(LogFailure) {
                    _ = try Segment(bytes: file)
                    wrong += 1
                } catch {
                    inHead += 1
                    if !error.message.contains("head") { wrong += 1 }
                }
            }
        }
        // After the head, which is unchanged: each block is verified when it is read.
        var offset = head
        for (number, block) in sound.head.blocks.enumerated() {
            let place = "\(block.positions.lowerBound)–\(block.positions.upperBound)"
            let expected = "\(Self.feed): positions \(place) are damaged: its bytes are not what was sealed"
            var bytes = Array(file[offset..<(offset + block.bytes)])
            for index in bytes.indices {
                for bit in 0..<8 {
                    bytes[index] ^= 1 << bit
                    defer { bytes[index] ^= 1 << bit }
                    do throws(LogFailure) {
                        _ = try sound.entries(inBlock: number, packed: bytes)
                        wrong += 1
                    } catch {
                        inBlocks += 1
                        if error.message != expected { wrong += 1 }
                    }
                }
            }
            offset += block.bytes
        }
        print("flips: \(inHead) in the head and \(inBlocks) in \(sound.head.blocks.count) blocks refused by place")
        #expect(wrong == 0)
        #expect(inHead + inBlocks >= 524_288 && offset == file.count)
    }

    @Test func `a segment that is truncated, extended or signed twice is refused`() throws {
        let (entries, start, epoch) = try Self.entries(40) { "note \($0)" }
        let file = try segment(entries, after: start, epoch, by: signer)
        for end in 0..<file.count {
            #expect(throws: LogFailure.self) { _ = try Segment(bytes: Array(file.prefix(end))) }
        }
        for more in [[0], [10], Array("\n".utf8), Array(file.suffix(40))] {
            #expect(throws: LogFailure.self) { _ = try Segment(bytes: file + more) }
        }
        // A duplicated signature line was not part of what was signed.
        let note = try Segment(bytes: file).note
        let line = note.suffix(note.count - (note.lastIndex { $0 == 0xE2 } ?? 0))
        #expect(throws: LogFailure.self) { _ = try Segment(bytes: note + line + file.dropFirst(note.count)) }
    }

    /// The mutant skips the verification of the signature and so accepts a segment by any writer.
    @Test func `a forged segment is refused because of its signature and would be accepted without it`() throws {
        let (entries, start, epoch) = try Self.entries(40) { "note \($0)" }
        let (others, _, _) = try Self.entries(40) { "other \($0)" }
        var making = try SegmentWriter(feed: Self.feed, epoch: epoch, from: 1, after: start)
        for entry in others { try making.add(entry) }
        let forger = try #require(NoteSigner(name: Self.feed, Ed25519Key.generate()))
        let forged = try making.finish(signing: forger)
        // With the forger's own key, the segment is valid but not this journal's. With the journal's key it is invalid.
        try Segment(bytes: forged.file).verify()
        #expect(forged.head.key != signer.key)
        let text = SegmentHead(
            feed: Self.feed, epoch: epoch, positions: forged.head.positions, before: forged.head.before,
            after: forged.head.after, root: forged.head.root, key: signer.key, blocks: forged.head.blocks
        ).text
        let forgedNote = try SignedNote(signing: text, with: [forger])
        let named = SignedNote.Signature(
            name: Self.feed, keyID: signer.key.id, bytes: forgedNote.signatures.first?.bytes ?? [])
        let note = Array(
            "\(text)\n— \(named.name) \(BaseEncoding.base64.encode(named.keyID + named.bytes))\n".utf8)
        #expect(throws: LogFailure.self) { _ = try SegmentHead(note: note) }
        let accepted = try SegmentHead(note: note) { _, _ in }
        #expect(accepted.after == forged.head.after && accepted.after != entries.last?.hash)
    }
}
