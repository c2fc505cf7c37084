import Glibc
import HTTP
import JSON
import System

/// A whole farm server of this build for a measurement, with its first administrator.
final class BenchFarm {
    /// The URL of the API.
    let url: String
    /// The session of the administrator.
    let token: String
    /// The administrator, who calls the API.
    let people: FakePeople
    private let process: Process
    private let farmPaths: FarmPaths
    private var isStopped = false

    static let email = "bench@farm.test"
    /// The time in seconds that a farm server may take to start, and to stop.
    private static let patience = 120

    /// Starts it with these settings besides the shell's, and waits until it responds.
    init(_ options: BenchOptions, settings: [String: String]) throws {
        farmPaths = try FarmPaths(home: "\(options.folder)/farm", environment: [:])
        // Pages are not measured, and a build has none.
        let pages = "\(options.folder)/pages"
        try Directory.create(pages)
        var ports = FreePorts()
        let (port, https) = (try ports.take(), try ports.take())
        url = "http://127.0.0.1:\(port)"
        var environment = Machine.environment.filter { !$0.key.hasPrefix("FURROW_") }
        environment.merge(settings) { _, setting in setting }
        environment["FURROW_PUBLIC_URL"] = url
        var command = Process.Command(
            "\(farmPaths.programs)/furrow",
            ["run", "--home", farmPaths.home, "--port", "\(port)", "--https-port", "\(https)", "--web", pages],
            environment: environment)
        let log = "\(options.folder)/farm.log"
        command.user = try DropPrivileges.owner(toMake: farmPaths)
        command.readsEverywhere = command.user != nil
        command.output = .file(log)
        command.error = .file(log)
        process = try Process(command)
        do {
            token = try Self.claim(farmPaths, process, url, log)
        } catch {
            Self.stop(process, farmPaths)
            throw error
        }
        people = FakePeople(url: url, token: token)
    }

    deinit { stop() }

    /// Returns the process of a service, for example `sensor-ingest/farm-0`.
    func process(of origin: String) throws -> Int32 {
        guard let service = try RunFile.read(farmPaths).services.first(where: { $0.origin == origin }) else {
            throw Refusal("\(origin) is not running.")
        }
        return Int32(service.pid)
    }

    /// Stops it and removes the folder of its sockets.
    func stop() {
        guard !isStopped else { return }
        isStopped = true
        Self.stop(process, farmPaths)
    }

    private static func stop(_ process: Process, _ farmPaths: FarmPaths) {
        do {
            if try process.wait() == nil {
                try process.kill(SIGTERM)
                if try process.wait(milliseconds: patience * 1000) == nil { try process.kill(SIGKILL) }
            }
            _ = try Process(Process.Command("/bin/rm", ["-rf", farmPaths.run])).wait(milliseconds: 60_000)
        } catch {
            Terminal.complain("The measured farm server is still running: \(error)")
        }
    }

    /// Creates the first administrator with the link in `run.json`. Returns the token of a session.
    private static func claim(
        _ farmPaths: FarmPaths, _ process: Process, _ url: String, _ log: String
    ) throws -> String {
        let client = HTTPClient()
        var progress = Progress("waiting for the farm server, seconds", of: patience)
        for turn in 0..<patience * 10 {
            if let status = try process.wait() {
                let output = String(decoding: try File.read(log, limit: 1 << 20), as: UTF8.self)
                throw Refusal("The measured farm server ended (\(status)):\n\(output)")
            }
            if File.exists(farmPaths.runFile), let link = try RunFile.read(farmPaths).setup,
                let secret = link.split(separator: "#").last
            {
                let body =
                    #"{"token":"\#(secret)","name":"Bench","email":"\#(email)","password":"measured with a stopwatch"}"#
                let response = try client.send(
                    "POST", "\(url)/v1/setup",
                    headers: [("Content-Type", "application/json"), ("Idempotency-Key", "bench-setup-\(turn)")],
                    body: Array(body.utf8))
                let name = "furrow_session="
                if let cookie = response.headers.all("Set-Cookie").first(where: { $0.hasPrefix(name) }) {
                    return String(cookie.dropFirst(name.count).prefix { $0 != ";" })
                }
                throw Refusal("\(url)/v1/setup: \(response.status) \(String(decoding: response.body, as: UTF8.self))")
            }
            _ = try Poll.wait([process.descriptor], milliseconds: 100)
            progress.reached(turn / 10)
        }
        throw Refusal("The measured farm server does not respond after \(patience) s.")
    }
}
