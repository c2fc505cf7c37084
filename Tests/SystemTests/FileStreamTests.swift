import Glibc
import System
import Testing

@Suite("File streams and folders")
struct FileStreamTests {
    let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    @Test func `a file is written and read in pieces`() throws {
        let writer = try FileWriter(path: folder("a"))
        let bytes = (0..<300_000).map { UInt8(truncatingIfNeeded: $0 &* 7) }
        for start in stride(from: 0, to: bytes.count, by: 70_000) {
            try writer.write(Array(bytes[start..<min(start + 70_000, bytes.count)]))
        }
        try writer.synchronize()
        #expect(writer.count == bytes.count)
        let reader = try FileReader(path: folder("a"))
        var found: [UInt8] = []
        while case let piece = try reader.read(100_000), !piece.isEmpty { found += piece }
        #expect(found == bytes)
        #expect(throws: SystemError(code: EEXIST, operation: "open", path: folder("a"))) {
            try FileWriter(path: folder("a"))
        }
    }

    @Test func `a folder is removed with its contents, but not with the targets of its links`() throws {
        try Directory.create(folder("keep"))
        try File.writeAtomically(folder("keep/file"), [1])
        try Directory.create(folder("tree/inner"))
        try File.writeAtomically(folder("tree/inner/file"), [1, 2, 3])
        try File.link(folder("tree/link"), to: folder("keep"))
        #expect(Directory.usedBytes(folder("tree")) >= 4096)
        try Directory.remove(folder("tree"))
        try Directory.remove(folder("tree"))
        #expect(try Directory.list(folder.path) == ["keep"])
        #expect(try Directory.list(folder("keep")) == ["file"])
    }

    @Test func `a folder is moved with its contents and modes`() throws {
        try Directory.create(folder("old"))
        try File.writeAtomically(folder("old/file"), [1], mode: 0o640)
        try File.move(folder("old"), to: folder("new"))
        #expect(try Directory.list(folder.path) == ["new"])
        #expect(try File.access(folder("new/file")).mode == 0o640)
        let space = try DiskSpace(of: folder.path)
        #expect(space.total >= space.free)
    }
}
