import Crypto
import System
import Vocabulary

/// The sandbox payment provider of a run: its port, and the secret that it shares with the gateway.
struct SandboxProvider {
    let port: Int
    private let secret = Hex.encode(Random.bytes(32))

    init(port: Int) {
        self.port = port
    }

    /// Adds the provider's address and secret to a service's environment.
    func tell(_ environment: inout [String: String]) {
        environment["FURROW_SANDBOX_PAY"] = "http://127.0.0.1:\(port)"
        environment["FURROW_SANDBOX_SECRET"] = secret
    }

    func child(_ farmPaths: FarmPaths, _ options: RunOptions) -> Child {
        var environment = Machine.environment
        tell(&environment)
        var words = [
            "sandbox-pay", "--port", String(port), "--notify",
            "http://127.0.0.1:\(options.port)/v1/payments/notices",
        ]
        if let seed = options.sandboxChaos { words += ["--chaos", String(seed)] }
        var command = Process.Command("\(farmPaths.programs)/furrow", words, environment: environment)
        command.error = .file("\(farmPaths.logs)/sandbox-pay.log")
        command.output = .file("\(farmPaths.logs)/sandbox-pay.log")
        return Child("sandbox-pay", command)
    }
}
