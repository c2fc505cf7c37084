import System
import Vocabulary

extension BootTime {
    /// Returns the identifier of the machine's last start, the same for every process since; empty if the kernel does
    /// not provide it.
    static func machineID() -> String {
        do throws(SystemError) {
            let bytes = try File.read("/proc/sys/kernel/random/boot_id", limit: 64)
            return String(decoding: bytes.prefix { $0 > 0x20 }, as: UTF8.self)
        } catch {
            return ""
        }
    }

    static func now(_ id: String) -> BootTime {
        BootTime(id: id, microseconds: Clock.bootMicroseconds())
    }
}
