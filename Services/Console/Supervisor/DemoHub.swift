import Host
import System
import Vocabulary

/// The radio hub of a demonstration: the real program, at a simulated controller with a SensorTag.
struct DemoHub {
    static let name = "furrow-hub"

    /// The line of the controller, and the token that the simulated farm gets for it.
    static func controller(_ farmPaths: FarmPaths) -> String { "\(farmPaths.run)/bluetooth" }
    static func token(_ farmPaths: FarmPaths) -> String { "\(farmPaths.run)/hub.token" }

    /// Returns whether it can start: it has a token, and the farm's clock shows the time that its reports carry.
    static func mayStart(_ farmPaths: FarmPaths, _ clock: AdjustableClock) -> Bool {
        File.exists(token(farmPaths)) && abs(clock.now().seconds(since: AdjustableClock.machine)) < 2
    }

    static func child(_ farmPaths: FarmPaths, farm: String) -> Child {
        let words = [
            "--farm", farm, "--controller", controller(farmPaths), "--token", token(farmPaths),
            "--home", "\(farmPaths.home)/furrow-hub",
        ]
        var command = Process.Command("\(farmPaths.programs)/furrow-hub", words, environment: Machine.environment)
        command.error = .file("\(farmPaths.logs)/furrow-hub.log")
        command.output = .file("\(farmPaths.logs)/furrow-hub.log")
        let child = Child(name, command)
        // The start of the farm server does not wait for it.
        child.isReady = true
        return child
    }
}
