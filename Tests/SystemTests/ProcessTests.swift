import Glibc
import Synchronization
import System
import Testing

@Suite("Child processes")
struct ProcessTests {
    @Test func `a child process receives exactly the given arguments, environment and folder`() throws {
        let folder = try TemporaryFolder()
        let (status, output) = try shell(#"printf '%s|' "$0" "$@" "$PWD" "$A" "$B"; env | grep -c ="#) { command in
            command.arguments += ["zero", "", "two words", "ü'\"$"]
            command.environment = ["PATH": "/usr/bin:/bin", "A": "1=2", "B": ""]
            command.workingDirectory = folder.path
        }
        #expect(status == .exited(0))
        // The shell adds PWD (and _, which env shows) to the three.
        #expect(output.hasPrefix("zero||two words|ü'\"$|\(folder.path)|1=2||"))
        #expect(["4", "5"].contains(output.split(separator: "|").last.map { String($0) }))
    }

    @Test func `the exit status of a child process can be polled without blocking`() throws {
        #expect(try shell("exit 7").0 == .exited(7))
        #expect(try shell("kill -TERM $$").0 == .signalled(SIGTERM))
        let child = try Process(Process.Command("/bin/sleep", ["60"]))
        #expect(try child.wait() == nil)
        #expect(try child.wait(milliseconds: 10) == nil)
        try child.kill(SIGTERM)
        #expect(try child.wait(milliseconds: 20_000) == .signalled(SIGTERM))
        #expect(try child.wait() == .signalled(SIGTERM))
        // Another process may have its number by now.
        #expect(throws: Never.self) { try child.kill(SIGKILL) }
        #expect(kill(child.pid, 0) == -1)
    }

    @Test func `a child process has its own session, and its whole group can be killed`() throws {
        let childOutput = try OutputPipe()
        var command = Process.Command("/bin/sh", ["-c", "sleep 60 & echo $!; cut -d' ' -f5,6 /proc/$$/stat; wait"])
        command.environment = ["PATH": "/usr/bin:/bin"]
        command.output = .descriptor(childOutput.writing)
        let child = try Process(command)
        _ = try #require(Int32(try childOutput.line()))
        #expect(try childOutput.line() == "\(child.pid) \(child.pid)")
        try child.kill(SIGKILL, group: true)
        #expect(try child.wait(milliseconds: 20_000) == .signalled(SIGKILL))
        // The grandchild would run for a minute and hold this descriptor.
        try childOutput.waitUntilClosed()
    }

    @Test func `a child process starts with no signal blocked or ignored and only three descriptors`() throws {
        let childOutput = try OutputPipe()
        let line = "grep -E '^Sig(Blk|Ign)' /proc/self/status; ls /proc/self/fd; readlink /proc/self/fd/0"
        let child = Mutex<(Process.ExitStatus, String)?>(nil)
        // A worker blocks signals, but its children must not.
        let worker = try Worker(name: "starter") {
            if let result = try? shell(line) { child.withLock { $0 = result } }
        }
        worker.join()
        let (status, output) = try #require(child.withLock { $0 })
        #expect(childOutput.writing > 2)
        #expect(status == .exited(0))
        let lines = output.split(separator: "\n").map { $0.filter { !$0.isWhitespace } }
        // The fourth descriptor is the folder that ls itself reads.
        #expect(lines.dropFirst(2) == ["0", "1", "2", "3", "/dev/null"])
        #expect(lines.first == "SigBlk:0000000000000000")
        // The C library reserves signals 32 and 33.
        let ignored = try #require(lines.dropFirst().first.flatMap { UInt64($0.dropFirst(7), radix: 16) })
        #expect(ignored & ~0x1_8000_0000 == 0)
    }

    @Test func `a child process appends its output to a file or writes it to a descriptor`() throws {
        let folder = try TemporaryFolder()
        for word in ["one", "two"] {
            var command = Process.Command("/bin/sh", ["-c", "echo \(word); echo wrong >&2"])
            command.output = .file(folder("log"))
            let child = try Process(command)
            #expect(try child.wait(milliseconds: 20_000) == .exited(0))
        }
        #expect(try File.read(folder("log"), limit: 100) == Array("one\ntwo\n".utf8))
        let childOutput = try OutputPipe()
        var command = Process.Command("/bin/sh", ["-c", "echo heard >&2"])
        command.error = .descriptor(childOutput.writing)
        let child = try Process(command)
        #expect(try childOutput.line() == "heard")
        #expect(try child.wait(milliseconds: 20_000) == .exited(0))
    }

    @Test func `an error names the step at which a child process failed to start`() throws {
        let missing = "/no/such/program"
        #expect(throws: SystemError(code: ENOENT, operation: "execute", path: missing)) {
            try Process(Process.Command(missing))
        }
        #expect(throws: SystemError(code: EACCES, operation: "execute", path: "/etc/passwd")) {
            try Process(Process.Command("/etc/passwd"))
        }
        #expect(throws: SystemError(code: EINVAL, operation: "start", path: "/bin/echo")) {
            try Process(Process.Command("/bin/echo", ["a\0b"]))
        }
        var command = Process.Command("/bin/true")
        command.workingDirectory = "/no/such/folder"
        #expect(throws: SystemError(code: ENOENT, operation: "enter working directory", path: "/bin/true")) {
            try Process(command)
        }
        command = Process.Command("/bin/true")
        command.output = .file("/no/such/folder/log")
        #expect(throws: SystemError(code: ENOENT, operation: "open", path: "/no/such/folder/log")) {
            try Process(command)
        }
    }

    @Test func `a child process ends with the thread that started it, unless configured otherwise`() throws {
        let (bound, free) = (try Mailbox<Process>(capacity: 1), try Mailbox<Process>(capacity: 1))
        let starter = try Worker(name: "starter") {
            var command = Process.Command("/bin/sleep", ["60"])
            _ = (try? Process(command)).map { bound.push($0) }
            command.deathSignal = nil
            _ = (try? Process(command)).map { free.push($0) }
        }
        starter.join()
        let dead = try #require(bound.drain().first)
        let alive = try #require(free.drain().first)
        #expect(try dead.wait(milliseconds: 20_000) == .signalled(SIGKILL))
        #expect(try alive.wait() == nil)
        try alive.kill(SIGKILL)
        #expect(try alive.wait(milliseconds: 20_000) == .signalled(SIGKILL))
    }

    @Test func `a child process becomes another user permanently`() throws {
        guard isRoot else { return print("SKIPPED becoming another user: only root can") }
        let nobody = try #require(try User(named: "nobody"))
        let (status, output) = try shell("id -u; id -g; id -G; grep -E '^Cap(Prm|Eff|Amb)' /proc/self/status") {
            $0.user = nobody
        }
        #expect(status == .exited(0))
        let groups = nobody.groups.map { String($0) }.joined(separator: " ")
        let lines = output.split(separator: "\n").map { String($0) }
        #expect(Array(lines.prefix(3)) == ["\(nobody.id)", "\(nobody.group)", groups])
        #expect(lines.dropFirst(3).count == 3)
        #expect(lines.dropFirst(3).allSatisfy { $0.hasSuffix("0000000000000000") })
    }

    @Test func `a child process may retain the capability to read all files and no other`() throws {
        guard isRoot else { return print("SKIPPED keeping a capability: only root can") }
        let closed = try TemporaryFolder()
        try File.writeAtomically(closed("secret"), Array("read".utf8), mode: 0o600)
        try #require(unsafe chmod(closed.path, 0o700) == 0)
        let nobody = try #require(try User(named: "nobody"))
        let line =
            "cat '\(closed("secret"))'; echo; echo x >> '\(closed("secret"))' || echo refused; "
            + "grep CapEff /proc/self/status | tr -d '[:space:]'"
        let (_, with) = try shell(line) { ($0.user, $0.readsEverywhere) = (nobody, true) }
        #expect(with.hasPrefix("read\n"))
        #expect(with.contains("refused"))
        #expect(with.hasSuffix("CapEff:0000000000000004"))
        let (_, without) = try shell(line) { $0.user = nobody }
        #expect(!without.contains("read\n"))
        #expect(without.hasSuffix("CapEff:0000000000000000"))
    }

    @Test func `a child process of another user also ends with its starter`() throws {
        guard isRoot else { return print("SKIPPED ending another user's process: only root can") }
        let nobody = try #require(try User(named: "nobody"))
        let born = try Mailbox<Process>(capacity: 1)
        let starter = try Worker(name: "starter") {
            var command = Process.Command("/bin/sleep", ["60"])
            (command.user, command.readsEverywhere) = (nobody, true)
            _ = (try? Process(command)).map { born.push($0) }
        }
        starter.join()
        let child = try #require(born.drain().first)
        #expect(try child.wait(milliseconds: 20_000) == .signalled(SIGKILL))
    }

    @Test func `child processes start from many threads at once`() throws {
        let ends = try Mailbox<Process.ExitStatus>(capacity: 1_000)
        let workers = try (0..<4).map { number in
            try Worker(name: "starter \(number)") {
                for round in 0..<25 {
                    let child = try? Process(Process.Command("/bin/sh", ["-c", "exit \(round)"]))
                    let status = (try? child?.wait(milliseconds: 20_000)) ?? nil
                    if let status, status == .exited(Int32(round)) { _ = ends.push(status) }
                }
            }
        }
        for worker in workers { worker.join() }
        #expect(ends.count == 100)
    }
}
