import JSON
import SQLite
import System
import Telemetry

/// The command `furrow-hub`.
package enum RadioHubProgram {
    /// Runs the command and returns its exit code: 0, 1 after a failure, 2 if it was called wrongly.
    package static func main(_ words: [String]) -> Int32 {
        if words.contains("--help") || words.contains("-h") || words.isEmpty {
            write(RadioHubOptions.help, to: .output)
            return 0
        }
        do {
            if words.first == "status" { return try printStatus(Array(words.dropFirst())) }
            let options = try RadioHubOptions(words, environment: { Machine.environment[$0] })
            var hub = try RadioHub(options, log: Logger(service: "furrow-hub"))
            try hub.run()
            return 0
        } catch let refusal as UsageError {
            write("furrow-hub: \(refusal.reason)\n", to: .error)
            return 2
        } catch let error as SQLiteError where error.isBusy {
            write("furrow-hub: another hub uses this home; choose one with --home\n", to: .error)
            return 1
        } catch {
            write("furrow-hub: \(error)\n", to: .error)
            return 1
        }
    }

    private static func printStatus(_ words: [String]) throws -> Int32 {
        let isJSON = words.contains("--json")
        let given = try CommandOptions(words.filter { $0 != "--json" }, of: ["--home"])
        let path = RadioHubStatus.path(in: given["--home"] ?? RadioHubOptions.home)
        let bytes = try File.read(path, limit: QueueLimits.statusBytes)
        if isJSON {
            write(String(decoding: bytes, as: UTF8.self) + "\n", to: .output)
            return 0
        }
        let json = try JSONValue.parse(bytes)
        write(try RadioHubStatus(json: json).lines.map { $0 + "\n" }.joined(), to: .output)
        return 0
    }

    private static func write(_ text: String, to stream: StandardStream) { _ = stream.write(Array(text.utf8)) }
}
