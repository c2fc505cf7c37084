import EventSourcing
import EventStore
import HubStore
import TestKit
import Testing
import Vocabulary
import Wire

@Suite("Transparency log of the hub")
struct HubProofTests {
    @Test func `the hub proves each of a thousand entries at several tree sizes`() throws {
        let database = try HubDatabase()
        let log = try database.open()
        let signer = try HubSigner()
        let barn = try ForeignJournal("sensor-ingest/barn-0", events: 998)
        var sizes: [(size: UInt64, root: [UInt8])] = []
        for start in stride(from: Position(1), through: 999, by: 90) {
            try log.take(barn.page(from: start, events: 90))
            try log.commit()
            let tree = log.tree
            try log.publish(checkpoint: signer.note(size: tree.size, root: tree.root), size: tree.size)
            sizes.append(tree)
        }
        #expect(sizes.last?.size == 1_000)
        let reader = try HubReader(database.conninfo)
        var checked = 0
        for (size, root) in sizes {
            #expect(try reader.root(size: size) == root)
            // Checks every entry at the last size, and every seventh at the others.
            for position in stride(from: Position(1), through: size, by: size == 1_000 ? 1 : 7) {
                let found = try #require(try reader.entry(position))
                #expect(found.entry.commitment == LedgerEntry.commitment(salt: found.salt, event: found.bytes))
                let path = try #require(try reader.proof(forHubPosition: position, size: size))
                #expect(
                    MerkleProof.includes(
                        leaf: found.entry.leaf, index: position - 1, size: size, path: path, root: root))
                checked += 1
            }
            let path = try #require(try reader.consistency(from: sizes[0].size, to: size))
            #expect(
                MerkleProof.extends(
                    oldSize: sizes[0].size, oldRoot: sizes[0].root, size: size, root: root, path: path))
        }
        let note = try SignedNote(try #require(try reader.latestCheckpoint()))
        #expect(try note.verified(by: signer.keys) == signer.keys)
        #expect(LogCheckpoint(note.text)?.size == 1_000)
        print("hub proofs: checked \(checked)")
        #expect(checked >= 1_500)
    }

    @Test func `the hub returns every tile of every published tree size`() throws {
        let database = try HubDatabase()
        var log = try database.open()
        let barn = try ForeignJournal("sensor-ingest/barn-0", events: 1_500)
        var leaves: [[UInt8]] = []
        for start in stride(from: Position(1), through: 1_501, by: 70) {
            try log.take(barn.page(from: start, events: 70))
            try log.commit()
            if start % 3 == 0 { log = try database.crash() }
        }
        let reader = try HubReader(database.conninfo)
        for start in stride(from: Position(1), through: 1_502, by: 256) {
            leaves += try reader.ledgerEntries(from: start, count: 256).map(\.leaf)
        }
        #expect(leaves.count == 1_502)
        var tiles = MerkleTiles()
        var checked = 0
        for (index, leaf) in leaves.enumerated() {
            tiles.append(leaf: leaf)
            for tile in tiles.takeChanged() where index % 50 == 0 || tile.isFull || index == 1_501 {
                let address = MerkleTile.Address(level: tile.level, index: tile.index, width: tile.width)
                #expect(try reader.tile(address) == tile.hashes)
                checked += 1
            }
        }
        #expect(tiles.root == log.tree.root)
        #expect(try reader.tile(MerkleTile.Address(level: 0, index: 5, width: 223)) == nil)
        #expect(try reader.tile(MerkleTile.Address(level: 1, index: 0, width: 6)) == nil)
        #expect(try reader.tile(MerkleTile.Address(level: 9, index: 0, width: 1)) == nil)
        #expect(try reader.proof(forHubPosition: 1, size: 1_503) == nil)
        #expect(try reader.proof(forHubPosition: 0, size: 10) == nil)
        #expect(try reader.proof(forHubPosition: 11, size: 10) == nil)
        #expect(try reader.entry(1_503) == nil)
        print("hub tiles: checked \(checked)")
    }

    @Test func `the hub refuses a checkpoint that does not match its tree`() throws {
        let database = try HubDatabase()
        let log = try database.open()
        let signer = try HubSigner()
        let draft = Draft(Noted(1), in: "note/a", by: .service("test"))
        _ = try log.stage(Commit([draft]), at: HubDatabase.clock)
        let one = log.tree
        #expect(one.size == 1)
        try log.commit()
        let two = log.tree
        #expect(two.size == 2)
        for (size, root) in [(2 as UInt64, one.root), (1, two.root), (3, two.root)] {
            let note = try signer.note(size: size, root: root)
            #expect(throws: LogFailure.self) { try log.publish(checkpoint: note, size: size) }
        }
        let note = try signer.note(size: 2, root: two.root)
        #expect(throws: LogFailure.self) { try log.publish(checkpoint: note, size: 1) }
        #expect(throws: LogFailure.self) { try log.publish(checkpoint: "nonsense", size: 2) }
        try log.publish(checkpoint: signer.note(size: 1, root: one.root), size: 1)
        try log.publish(checkpoint: note, size: 2)
        // The first checkpoint of a size is not replaced.
        try log.publish(checkpoint: signer.note(size: 2, root: two.root), size: 2)
        #expect(try HubReader(database.conninfo).latestCheckpoint() == note)
    }

    @Test func `the hub finds events by their id`() throws {
        let database = try HubDatabase()
        let log = try database.open()
        let barn = try ForeignJournal("sensor-ingest/barn-0", events: 20)
        try log.take(barn.page(from: 1))
        let id = UUID.named("one", in: .furrow)
        _ = try log.stage(
            Commit([Draft(Noted(1), in: "note/a", id: id, by: .service("test"))]), at: HubDatabase.clock)
        try log.commit()
        let reader = try HubReader(database.conninfo)
        #expect(try reader.hubPosition(of: id) == 23)
        #expect(try log.reader().position(of: id) == 2)
        let foreign = try EnvelopeCodec.read(barn.page(from: 7).entries[0].bytes).envelope.id
        #expect(try reader.position(of: foreign) == 8)
        #expect(try log.originReader(barn.feed).position(of: foreign) == 7)
        #expect(try log.reader().position(of: foreign) == nil)
        #expect(try reader.hubPosition(of: UUID.named("none", in: .furrow)) == nil)
    }

    @Test func `every entry of the hub has its own salt`() throws {
        let database = try HubDatabase()
        let log = try database.open()
        try log.take(ForeignJournal("sensor-ingest/barn-0", events: 300).page(from: 1))
        try log.commit()
        let reader = try HubReader(database.conninfo)
        let salts = try (1...302).map { position in try #require(try reader.entry(position)).salt }
        #expect(Set(salts).count == 302)
        #expect(salts.allSatisfy { $0.count == LedgerEntry.saltBytes })
    }
}
