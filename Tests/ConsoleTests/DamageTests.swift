import System
import TestKit
import Testing

@testable import Console

@Suite("Damage in backup files")
struct DamageTests {
    let folder: Folder
    init() throws { folder = try Folder() }

    @Test func `a single changed byte of a file is reported at its offset`() throws {
        var chance = SplitMix64(seed: 20_261_121)
        let size = 3 * FileSum.smallestBlockBytes + 1234
        let good = chance.bytes(size)
        try folder.write("hub/entry.copy", good)
        let sum = try FileSum(of: folder("hub/entry.copy"))
        #expect(sum.blocks.count == 4 && sum.bytes == size)
        try sum.check(folder("hub/entry.copy"), as: "hub/entry.copy")
        var found = 0
        for turn in 0..<300 {
            // Offsets at the edges of blocks and of the file, then random ones.
            let edges = [0, size - 1, FileSum.smallestBlockBytes - 1, FileSum.smallestBlockBytes]
            let place = turn < edges.count ? edges[turn] : Int(chance.next() % UInt64(size))
            var bad = good
            bad[place] ^= UInt8(1 + chance.next() % 255)
            try folder.write("hub/entry.copy", bad)
            let damage = #expect(throws: Damage.self) {
                try sum.check(folder("hub/entry.copy"), as: "hub/entry.copy")
            }
            #expect(damage?.offset == place && damage?.file == "hub/entry.copy", "\(String(describing: damage))")
            #expect(damage?.what == "the byte is \(bad[place]) and was \(good[place])")
            found += 1
        }
        print("damage: \(found) single bytes, each found at its place")
    }

    @Test func `several changed bytes are reported at the start of their block`() throws {
        var chance = SplitMix64(seed: 20_261_121)
        let good = chance.bytes(2 * FileSum.smallestBlockBytes + 10)
        try folder.write("x", good)
        let sum = try FileSum(of: folder("x"))
        var bad = good
        for place in [FileSum.smallestBlockBytes + 5, FileSum.smallestBlockBytes + 900] { bad[place] ^= 0x41 }
        try folder.write("x", bad)
        #expect(
            throws: Damage(file: "x", offset: 65_536, what: "some of the 65536 bytes from here are not what they were")
        ) {
            try sum.check(folder("x"), as: "x")
        }
    }

    @Test func `a missing, truncated or extended file is reported as damaged`() throws {
        var chance = SplitMix64(seed: 20_261_121)
        let good = chance.bytes(FileSum.smallestBlockBytes + 10)
        try folder.write("x", good)
        let sum = try FileSum(of: folder("x"))
        try folder.write("x", Array(good.dropLast(3)))
        #expect(throws: Damage(file: "x", offset: good.count - 3, what: "the file ends here; it had 65546 bytes")) {
            try sum.check(folder("x"), as: "x")
        }
        try folder.write("x", good + [1])
        #expect(
            throws: Damage(file: "x", offset: good.count, what: "something follows the 65546 bytes that were backed up")
        ) {
            try sum.check(folder("x"), as: "x")
        }
        try File.remove(folder("x"))
        #expect(throws: Damage(file: "x", offset: 0, what: "the file is missing")) {
            try sum.check(folder("x"), as: "x")
        }
        try folder.write("empty", [])
        try FileSum(of: folder("empty")).check(folder("empty"), as: "empty")
    }

    @Test func `matching locator sums alone do not prove a single changed byte`() {
        // Two bytes that change by the same amount give the sums of one byte in the middle that changed by both.
        let good = [UInt8](repeating: 10, count: 100)
        var bad = good
        bad[10] += 1
        bad[20] += 1
        let sums = DamageLocator(good[...])
        let told = sums.change(in: DamageLocator(bad[...]), count: 100)
        #expect(told?.index == 15 && told?.delta == 2)
        #expect(Damage.changed(in: bad, from: sums, isRepaired: { $0 == good }) == nil)
        #expect(Damage(in: bad, which: FileSum.Block(good), at: 0, of: "x").offset == 0)
        #expect(DamageLocator(sums.text[...]) == sums && DamageLocator("x") == nil)
    }
}
