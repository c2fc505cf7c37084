import Foundation
import TestKit
import Testing
import Vocabulary

@testable import Console

@Suite("The hub's tables in a backup")
struct HubTableFilesTests {
    private let folder: Folder

    init() throws { folder = try Folder() }

    /// Writes a dump in pieces of random sizes and returns its manifest.
    private func written(_ dump: [UInt8], in name: String, _ chance: inout SplitMix64) throws -> Manifest {
        try FileManager.default.createDirectory(atPath: folder("\(name)/hub"), withIntermediateDirectories: true)
        var writer = try HubTableFiles.Writer("entry", in: folder(name), most: 100)
        var rest = dump[...]
        while !rest.isEmpty {
            let piece = rest.prefix(1 + Int(chance.next() % 250))
            try writer.write(Array(piece))
            rest = rest.dropFirst(piece.count)
        }
        try writer.end()
        var manifest = Manifest(name: name, part: .facts, made: Instant(microseconds: 0))
        for file in writer.names {
            manifest.files.append(Manifest.Kept(path: file, sum: try FileSum(of: folder("\(name)/\(file)"))))
        }
        return manifest
    }

    @Test func `a dump is read from its files as it was written, and a longer one shares all whole files`() throws {
        var chance = SplitMix64(seed: 29)
        var files = 0
        for length in [0, 1, 99, 100, 101, 250, 300, 1234] {
            let dump = (0..<length).map { _ in UInt8(truncatingIfNeeded: chance.next()) }
            let name = "set-\(length)"
            let manifest = try written(dump, in: name, &chance)
            let kept = HubTableFiles.files(of: "entry", in: manifest)
            #expect(kept.count == max(1, (length + 99) / 100))
            #expect(kept.dropLast().allSatisfy { $0.sum.bytes == 100 })
            var reader = HubTableFiles.Reader("entry", of: manifest, in: folder(name))
            var read: [UInt8] = []
            while case let piece = try reader.read(64), !piece.isEmpty { read += piece }
            #expect(read == dump)
            // Older programs read one file of each table, so they must refuse more.
            let text = String(decoding: manifest.text, as: UTF8.self)
            #expect(text.contains(#""format":\#(kept.count > 1 ? 2 : 1)"#))
            let more = try written(dump + [7], in: "\(name)-more", &chance)
            let whole = kept.filter { $0.sum.bytes == 100 }
            #expect(whole.allSatisfy { more.kept($0.path)?.sum == $0.sum })
            files += kept.count
        }
        print("hub: \(files) files of 8 dumps read as they were written")
        #expect(files >= 20)
    }
}
