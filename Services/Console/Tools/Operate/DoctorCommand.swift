import Host
import JSON
import System

/// `furrow doctor`: checks everything that a farm server needs, and reports in plain words what is wrong and what to
/// do.
struct DoctorCommand {
    private let farmPaths: FarmPaths
    private let isJSON: Bool

    init(_ arguments: inout Arguments) throws {
        farmPaths = try FarmPaths(home: arguments.value("--home"))
        isJSON = arguments.flag("--json")
        try arguments.end()
    }

    /// Returns 1 if anything needs attention at once.
    func run() throws -> Int32 {
        let findings = try Self.look(farmPaths)
        let isWell = findings.allSatisfy { $0.state != .act }
        if isJSON {
            var json = JSONWriter()
            json.object { json in
                json.field("ok", isWell)
                json.field("checks", array: { json in for finding in findings { finding.write(to: &json) } })
            }
            Terminal.put(json.bytes + [10])
            return isWell ? 0 : 1
        }
        for finding in findings {
            let word = [Finding.State.ok: "ok   ", .mind: "MIND ", .act: "ACT  "][finding.state] ?? ""
            Terminal.say("\(word) \(finding.said)")
            if let advice = finding.advice { Terminal.say("       → \(advice)") }
        }
        let count = findings.count { $0.state == .act }
        Terminal.say(
            isWell
                ? "Nothing needs attention at once."
                : "\(count) \(count == 1 ? "check needs" : "checks need") attention now.")
        return isWell ? 0 : 1
    }

    /// Returns the findings about a farm server.
    ///
    /// - Parameter reading: called with the services' status, so that it is requested once.
    static func look(_ farmPaths: FarmPaths, reading: (FarmStatus) -> Void = { _ in }) throws -> [Finding] {
        guard Directory.isDirectory(farmPaths.home) else {
            throw Refusal(
                "There is no farm in \(farmPaths.home); start one with deploy/up, or name its home with --home DIR.")
        }
        let doctor = DoctorProbe(farmPaths)
        if try farmPaths.isStandby { return StandbyFindings.look(farmPaths, at: AdjustableClock.machine) }
        if farmPaths.isStack {
            let farm = try FarmStatus(farmPaths)
            reading(farm)
            return doctor.ofTheServices(farm) + doctor.ofTheStack(farm)
                + StandbyFindings.look(farmPaths, at: AdjustableClock.machine)
        }
        guard File.exists(farmPaths.runFile) else {
            let stopped = Finding(
                "running", .act, "No farm server is running in \(farmPaths.home).",
                do: "Start it: deploy/up --home \(farmPaths.home), or systemctl start furrow")
            return [stopped] + doctor.ofTheHome(nil)
        }
        let farm = try FarmStatus(farmPaths)
        reading(farm)
        return doctor.ofTheServices(farm) + doctor.ofTheDatabase() + doctor.ofTheHome(farm)
            + StandbyFindings.look(farmPaths, at: AdjustableClock.machine)
    }
}
