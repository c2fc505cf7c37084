import Glibc
import System
import Testing

@Suite("Byte streams")
struct ByteStreamTests {
    let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    @Test func `a file's stream reports its end, and continues once more is written`() throws {
        let path = folder("growing")
        try File.writeAtomically(path, [1, 2, 3])
        let stream = try ByteStream(path: path)
        #expect(stream.isFile)
        #expect(try stream.bytes(at: 1, count: 9) == [2, 3])
        #expect(try stream.read() == [1, 2, 3])
        #expect(throws: SystemError.self) { try stream.read() }
        #expect(try stream.size() == stream.position())
        #expect(try shell("printf x >> '\(path)'").0 == .exited(0))
        #expect(try stream.isSame() && stream.size() == 4)
        #expect(try stream.read() == [0x78])
        try stream.seek(to: 2)
        #expect(try stream.read(limit: 1) == [3])
    }

    @Test func `a file that was truncated or replaced is not the same stream`() throws {
        let path = folder("growing")
        try File.writeAtomically(path, [1, 2, 3])
        let stream = try ByteStream(path: path)
        #expect(try stream.read() == [1, 2, 3])
        #expect(try shell(": > '\(path)'").0 == .exited(0))
        #expect(try !stream.isSame())
        try File.writeAtomically(path, [1, 2, 3, 4])
        #expect(try !stream.isSame())
        try File.remove(path)
        #expect(try !stream.isSame())
    }

    @Test func `a pipe's stream waits for a writer and ends with it`() throws {
        let path = folder("pipe")
        #expect(unsafe mkfifo(path, 0o600) == 0)
        let stream = try ByteStream(path: path)
        #expect(!stream.isFile)
        #expect(try shell("printf abc > '\(path)'").0 == .exited(0))
        #expect(try stream.read() == Array("abc".utf8))
        let error = #expect(throws: SystemError.self) { try stream.read() }
        #expect(error?.code == ENODATA)
    }

    @Test func `a byte stream cannot be opened on a folder or a missing path`() {
        #expect(throws: SystemError.self) { try ByteStream(path: folder("nothing")) }
        #expect(throws: SystemError.self) { try ByteStream(path: folder("")) }
    }
}
