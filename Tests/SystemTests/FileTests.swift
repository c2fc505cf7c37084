import Glibc
import System
import Testing

@Suite("Files and folders")
struct FileTests {
    let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    @Test func `a file is read as a whole, up to a limit`() throws {
        let path = folder("file")
        let bytes = (0..<200_000).map { UInt8(truncatingIfNeeded: $0) }
        try File.writeAtomically(path, bytes)
        #expect(try File.read(path, limit: 1 << 20) == bytes)
        #expect(try File.read(path, limit: bytes.count) == bytes)
        #expect(throws: SystemError(code: EFBIG, operation: "read", path: path)) {
            try File.read(path, limit: bytes.count - 1)
        }
        #expect(throws: SystemError(code: ENOENT, operation: "open", path: folder("none"))) {
            try File.read(folder("none"), limit: 1)
        }
        #expect(throws: SystemError(code: EISDIR, operation: "read", path: folder.path)) {
            try File.read(folder.path, limit: 1)
        }
        // Files below /proc have no size.
        #expect(try File.read("/proc/self/cmdline", limit: 1 << 20).count > 0)
    }

    @Test func `a file is replaced atomically with the given mode, and no temporary file remains`() throws {
        let path = folder("run.json")
        try File.writeAtomically(path, [1, 2, 3], mode: 0o600)
        try File.writeAtomically(path, [4], mode: 0o604)
        #expect(try File.read(path, limit: 10) == [4])
        var about = stat()
        try #require(unsafe stat(path, &about) == 0)
        #expect(about.st_mode & 0o7777 == 0o604)
        #expect(try Directory.list(folder.path) == ["run.json"])
        try File.writeAtomically(folder("empty"), [])
        #expect(try File.read(folder("empty"), limit: 0).isEmpty)
    }

    @Test func `a file that cannot be written stays unchanged`() throws {
        try Directory.create(folder("taken"))
        #expect(throws: SystemError(code: EISDIR, operation: "rename", path: folder("taken"))) {
            try File.writeAtomically(folder("taken"), [1])
        }
        #expect(try Directory.list(folder.path) == ["taken"])
        #expect(throws: SystemError.self) { try File.writeAtomically(folder("no/file"), [1]) }
    }

    @Test func `a file exists until it is removed, even as a dangling link`() throws {
        #expect(!File.exists(folder("link")))
        try #require(unsafe symlink("nowhere", folder("link")) == 0)
        #expect(File.exists(folder("link")))
        try File.remove(folder("link"))
        #expect(!File.exists(folder("link")))
        #expect(throws: Never.self) { try File.remove(folder("link")) }
    }

    @Test func `a folder is created with its parents and listed in byte order`() throws {
        try Directory.create(folder("a/b/c"), mode: 0o700)
        #expect(Directory.isDirectory(folder("a/b/c")))
        var about = stat()
        try #require(unsafe stat(folder("a/b"), &about) == 0)
        #expect(about.st_mode & 0o7777 == 0o700)
        #expect(throws: Never.self) { try Directory.create(folder("a/b/c"), mode: 0o777) }
        try File.writeAtomically(folder("B"), [])
        try File.writeAtomically(folder("ä"), [])
        #expect(try Directory.list(folder.path) == ["B", "a", "ä"])
        #expect(throws: SystemError(code: EEXIST, operation: "mkdir", path: folder("B"))) {
            try Directory.create(folder("B"))
        }
        #expect(throws: SystemError(code: EEXIST, operation: "mkdir", path: folder("B"))) {
            try Directory.create(folder("B/under"))
        }
        #expect(throws: SystemError(code: ENOENT, operation: "opendir", path: folder("none"))) {
            try Directory.list(folder("none"))
        }
        for path in ["a/b/c", "a/b"] { try #require(unsafe rmdir(folder(path)) == 0) }
    }

    @Test func `a disk reports its free space and the name of its file system`() throws {
        #expect(try DiskSpace(of: folder.path).free > 1 << 20)
        #expect(throws: SystemError(code: ENOENT, operation: "statvfs", path: "/none")) {
            try DiskSpace(of: "/none")
        }
        let (isLocal, name) = try isLocalFileSystem(folder.path)
        #expect(isLocal)
        #expect(!name.isEmpty)
        #expect(try isLocalFileSystem("/dev/shm") == (true, "tmpfs"))
        // PROC_SUPER_MAGIC of linux/magic.h, for which the driver has no name.
        #expect(try isLocalFileSystem("/proc") == (true, "0x9fa0"))
        #expect(throws: SystemError(code: ENOENT, operation: "statfs", path: "/none")) {
            try isLocalFileSystem("/none")
        }
    }
}

@Suite("The machine")
struct MachineTests {
    @Test func `ending a process skips the handlers of exit`() async {
        await #expect(processExitsWith: .exitCode(7)) {
            atexit { _exit(9) }
            Machine.end(7)
        }
        await #expect(processExitsWith: .exitCode(9)) {
            atexit { _exit(9) }
            exit(7)
        }
    }

    @Test func `the machine reports its name, its users and the process`() throws {
        let name = String(decoding: try File.read("/proc/sys/kernel/hostname", limit: 100), as: UTF8.self)
        #expect(Machine.hostName == name.trimmingEnd())
        let path = unsafe getenv("PATH").map { unsafe String(cString: $0) }
        #expect(Machine.environment["PATH"] == path)
        #expect(try Machine.userID(named: "root") == 0)
        #expect(try Machine.userID(named: "no-such-user-here") == nil)
        #expect(try User(named: "root")?.groups.contains(0) == true)
        #expect(Machine.processID == getpid())
        #expect(Machine.userID == geteuid())
    }

    @Test func `the machine reports the memory of the process`() {
        let before = Machine.residentBytes()
        #expect(before > 1 << 20)
        let block = [UInt8](repeating: 1, count: 64 << 20)
        #expect(Machine.residentBytes() + (16 << 20) > before + block.count)
        #expect(Machine.peakResidentBytes() >= block.count)
    }

    @Test func `the real clock is right and the monotonic clock never goes back`() {
        var last = Clock.monotonicMicroseconds()
        for _ in 0..<10_000 {
            let now = Clock.monotonicMicroseconds()
            #expect(now >= last)
            last = now
        }
        #expect(abs(Clock.realMicroseconds() / 1_000_000 - Int64(time(nil))) <= 1)
    }

    @Test func `a system error describes the failed operation in words`() {
        #expect(
            SystemError(code: ENOENT, operation: "open", path: "/x").description == "open /x: No such file or directory"
        )
        #expect(SystemError(code: EBUSY, operation: "sigaction").description == "sigaction: Device or resource busy")
    }
}
