import HTTP
import System

/// `furrow health`: what a container's healthcheck runs.
enum Health {
    /// 0 if the service here says that it is ready, 1 if not.
    static func run() -> Int32 {
        let port = Machine.environment["FURROW_OPS_PORT"] ?? ""
        do {
            let answer = try HTTPClient().send("GET", "http://127.0.0.1:\(port)/readyz", timeoutSeconds: 2)
            Terminal.put(answer.body + [10])
            return answer.status == 200 ? 0 : 1
        } catch {
            Terminal.complain("Nothing answers at port \(port): \(error)")
            return 1
        }
    }
}
