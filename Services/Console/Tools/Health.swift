import HTTP
import System

/// `furrow health`: the health check of a container.
enum Health {
    /// Returns 0 if the service in this container reports that it is ready, or waits as one of a standby; otherwise 1.
    static func run() -> Int32 {
        let port = Machine.environment["FURROW_OPS_PORT"] ?? ""
        do {
            if try FarmPaths(home: nil).isStandby {
                Terminal.say("This machine is a standby.")
                return 0
            }
            let answer = try HTTPClient().send("GET", "http://127.0.0.1:\(port)/readyz", timeoutSeconds: 2)
            Terminal.put(answer.body + [10])
            return answer.status == 200 ? 0 : 1
        } catch {
            Terminal.complain("No response from port \(port): \(error)")
            return 1
        }
    }
}
