import Crypto
import EventBus
import EventSourcing
import System
import Telemetry
import Wire
import ZeroMQ

/// The operator's command line: `furrow <command>`.
///
/// Exit codes: 0 success, 1 a negative result, 2 wrong usage, 3 could not run.
public enum Console {
    /// Runs the command that `words` name and returns its exit code.
    public static func main(_ words: [String]) -> Int32 {
        guard let name = words.first, name != "--help", name != "help" else {
            Terminal.say(usage)
            return words.isEmpty ? 2 : 0
        }
        guard name != "--version" else {
            Terminal.say("furrow \(Release.version)")
            return 0
        }
        guard let command = Command(rawValue: name) else {
            Terminal.complain("There is no command \(name).\n\n\(usage)")
            return 2
        }
        var arguments = Arguments(Array(words.dropFirst()))
        if arguments.flag("--help") {
            let among = command.amongContainers.map { "\n\nAmong containers: \($0)" } ?? ""
            Terminal.say("furrow \(command.synopsis)\n\n\(command.help)\(among)")
            return 0
        }
        do {
            return try command.run(&arguments)
        } catch let refusal as Refusal {
            Terminal.complain(refusal.description)
            return refusal.isMisuse ? 2 : 3
        } catch {
            Terminal.complain("furrow \(name): \(error)")
            return 3
        }
    }

    private static var usage: String {
        "furrow <command> [options]; furrow <command> --help for details; furrow --version.\n\n"
            + Command.allCases.map { "  \($0.synopsis)" }.joined(separator: "\n")
    }

    /// Sends a request to a running service and returns its response.
    ///
    /// Throws `Refusal` if no response arrives within `seconds`.
    static func ask(
        _ service: String, _ verb: String, _ farmPaths: FarmPaths, _ context: Context, body: [UInt8] = Array("{}".utf8),
        slot: Int = 0, seconds: Double = 10
    ) throws -> Response {
        let requestClient =
            service == "supervisor"
            ? try RequestClient(endpoint: farmPaths.control, context: context)
            : try ServiceConnections(farmPaths, context).requestClient(of: service, slot: slot)
        return try ask(requestClient, service, verb, body: body, seconds: seconds)
    }

    /// Sends a request to the running service that answers it.
    static func ask(
        _ name: some RequestName, _ farmPaths: FarmPaths, _ context: Context, body: [UInt8] = Array("{}".utf8)
    ) throws -> Response {
        try ask(name.service, name.rawValue, farmPaths, context, body: body)
    }

    static func ask(
        _ requestClient: RequestClient, _ service: String, _ verb: String, body: [UInt8], seconds: Double
    ) throws -> Response {
        switch try requestClient.askAndWait(
            verb: verb, body: body, actor: .service("console"), key: nil, entropy: Random.bytes(16), seconds: seconds)
        {
        case .answer(let answer): return answer
        case .unknown: throw Refusal("\(service) does not respond; is it running? See: furrow status")
        }
    }
}
