import Host
import System

/// Two nodes beside a demonstration, one in a bus and one at a market stall, which know each other.
struct DemoNodes {
    private static let places = ["bus", "market-stall"]

    private let ports: [Int]

    init(from ports: inout FreePorts) throws(Refusal) {
        var taken: [Int] = []
        for _ in Self.places { taken.append(try ports.take()) }
        self.ports = taken
    }

    /// The addresses of the nodes.
    var addresses: [String] { ports.map { "http://127.0.0.1:\($0)" } }

    /// The pages that say what each node has.
    var pages: [String] { addresses.map { $0 + "/.well-known/furrow-node" } }

    /// Returns the processes.
    func children(_ farmPaths: FarmPaths, farm: String) -> [Child] {
        zip(Self.places, ports).map { place, port in
            let others = addresses.filter { !$0.hasSuffix(":\(port)") }.flatMap { ["--peer", $0] }
            let words = [
                "--upstream", farm, "--port", "\(port)", "--home", "\(farmPaths.home)/furrow-node/\(place)",
                "--discovery", "off",
            ]
            var command = Process.Command(
                "\(farmPaths.programs)/furrow-node", words + others, environment: Machine.environment)
            command.error = .file("\(farmPaths.logs)/furrow-node-\(place).log")
            command.output = .file("\(farmPaths.logs)/furrow-node-\(place).log")
            return Child("furrow-node/\(place)", command)
        }
    }
}
