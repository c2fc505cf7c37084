import System
import Testing

@testable import Console

@Suite("Paths of a farm server")
struct FarmPathsTests {
    @Test func `one machine has a single home, and a compose stack one for each service`() throws {
        let folder = try Folder()
        for service in ["sync-gateway", "trace-ledger"] { try folder.write("\(service)/x", [1]) }
        let one = try FarmPaths(home: "/h", environment: ["FURROW_HOMES": folder.path])
        #expect(!one.isStack && one.homes == nil && one.home(of: "trace-ledger") == "/h")
        #expect(try one.allHomes == ["/h"])
        let all = try FarmPaths(home: nil, environment: ["FURROW_HOMES": folder.path])
        #expect(all.isStack && all.home(of: "trace-ledger") == folder("trace-ledger"))
        #expect(all.home(of: nil) == folder("sync-gateway"))
        #expect(try all.allHomes == [folder("sync-gateway"), folder("trace-ledger")])
        try all.requireAllHomes(for: "backup")
    }

    @Test(arguments: ["/h/farm/", "/h//farm", "/h/./farm/"])
    func `a home has the same paths however its name is written`(home: String) throws {
        let one = try FarmPaths(home: "/h/farm", environment: [:])
        for other in [
            try FarmPaths(home: home, environment: [:]), try FarmPaths(home: nil, environment: ["FURROW_HOME": home]),
        ] {
            #expect(other.home == one.home && other.run == one.run && other.control == one.control)
        }
    }

    @Test func `a service's container rejects commands that need all volumes or belong to the engine`() throws {
        let container = try FarmPaths(home: nil, environment: ["FURROW_BUS_PORT": "7100", "FURROW_HOME": "/h"])
        #expect(throws: Refusal.self) { try container.requireAllHomes(for: "backup") }
        #expect(throws: Refusal.self) { try container.refuseInStack(insteadOf: "stopping", "stop") }
        let machine = try FarmPaths(home: nil, environment: ["FURROW_HOME": "/h", "FURROW_BUS_PORT": ""])
        try machine.requireAllHomes(for: "backup")
        try machine.refuseInStack(insteadOf: "stopping", "stop")
    }

    @Test func `a socket folder that another user may write in is rejected`() throws {
        let folder = try Folder()
        func farmPaths(_ run: String) throws -> FarmPaths {
            try FarmPaths(home: "/h", environment: ["FURROW_RUN": run])
        }
        try farmPaths(folder("own/x")).makeRun()
        try farmPaths(folder("own/x")).makeRun()
        // An existing folder that others can read is closed to all but its owner.
        try Directory.create(folder("own/readable"), mode: 0o755)
        try farmPaths(folder("own/readable")).makeRun()
        let mode = try File.access(folder("own/readable")).mode
        #expect(mode & 0o777 == 0o700)
        // A sticky folder such as /tmp, in which only the owner of a file may remove it.
        try Directory.create(folder("tmp"), mode: 0o1777)
        try farmPaths(folder("tmp/x")).makeRun()
        try Directory.create(folder("open"), mode: 0o777)
        #expect(throws: Refusal.self) { try farmPaths(folder("open/x")).makeRun() }
        try Directory.create(folder("own/open"), mode: 0o1777)
        #expect(throws: Refusal.self) { try farmPaths(folder("own/open")).makeRun() }
        guard Machine.userID == 0, let nobody = try User(named: "nobody") else { return }
        try Directory.create(folder("taken"), mode: 0o755)
        try File.give(folder("taken"), to: nobody)
        #expect(throws: Refusal.self) { try farmPaths(folder("taken/x")).makeRun() }
    }

    @Test func `the doctor reports nothing as well that only unreachable services know`() throws {
        let folder = try Folder()
        let farmPaths = try FarmPaths(home: folder.path, environment: ["FURROW_RUN": folder("run")])
        var runFile = RunFile(http: "http://127.0.0.1:1", supervisor: 1)
        runFile.services = [("sync-gateway/farm-0", "http://127.0.0.1:1", 1)]
        try runFile.write(farmPaths.runFile)
        let well = try DoctorCommand.look(farmPaths).filter { $0.state == .ok }.map(\.check)
        #expect(Set(well) == ["disk", "permissions", "clock"], "\(well)")
    }

    @Test(arguments: Command.allCases)
    func `every command for a farm has an equivalent for compose stacks`(command: Command) {
        let isOfAFarm = command.synopsis.contains("[--home DIR]") && command != .bench
        #expect(!isOfAFarm || command.amongContainers != nil, "\(command.rawValue)")
    }
}
