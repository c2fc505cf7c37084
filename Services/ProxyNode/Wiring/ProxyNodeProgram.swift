import HTTP
import JSON
import SQLite
import System
import Telemetry
import Vocabulary

/// The command `furrow-node`.
package enum ProxyNodeProgram {
    /// Runs the command and returns its exit code: 0, 1 after a failure, 2 if it was called wrongly.
    package static func main(_ words: [String]) -> Int32 {
        let isAskedForHelp = words.contains("--help") || words.contains("-h")
        if isAskedForHelp || (words.isEmpty && Machine.environment["FURROW_NODE_UPSTREAM"] == nil) {
            write(ProxyNodeOptions.help, to: .output)
            return 0
        }
        do {
            if words.first == "status" { return try printStatus(Array(words.dropFirst())) }
            let options = try ProxyNodeOptions(words, environment: { Machine.environment[$0] })
            var node = try ProxyNode(options, log: Logger(service: "furrow-node"))
            try node.run()
            return 0
        } catch let error as UsageError {
            write("furrow-node: \(error.reason)\n", to: .error)
            return 2
        } catch let error as SQLiteError where error.isBusy {
            write("furrow-node: another node uses this home; choose one with --home\n", to: .error)
            return 1
        } catch let error as HTTPError {
            write("furrow-node: \(error.message)\n", to: .error)
            return 1
        } catch {
            write("furrow-node: \(error)\n", to: .error)
            return 1
        }
    }

    private static func printStatus(_ words: [String]) throws -> Int32 {
        let isJSON = words.contains("--json")
        let given = try CommandOptions(words.filter { $0 != "--json" }, of: ["--home"])
        let path = (given["--home"] ?? ProxyNodeOptions.home) + "/status.json"
        let bytes = try File.read(path, limit: NodeLimits.statusBytes)
        if isJSON {
            write(String(decoding: bytes, as: UTF8.self) + "\n", to: .output)
        } else {
            write(try NodeStatus(json: JSONValue.parse(bytes)).lines.map { $0 + "\n" }.joined(), to: .output)
        }
        return 0
    }

    private static func write(_ text: String, to stream: StandardStream) { _ = stream.write(Array(text.utf8)) }
}
