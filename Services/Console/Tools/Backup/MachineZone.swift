import System
import Vocabulary

/// The time zone of the machine: that of `/etc/localtime`; UTC without it.
enum MachineZone {
    static func read() -> Zone {
        do throws(SystemError) {
            return Zone(file: try File.read("/etc/localtime", limit: 262_144)) ?? .utc
        } catch {
            return .utc
        }
    }
}
