import BluetoothCentral
import System

/// Which Bluetooth controller a hub uses, and by which way.
enum ControllerAddress: Hashable, Sendable, CustomStringConvertible {
    /// An adapter of this machine, which BlueZ drives; nil for the first one.
    case bluez(adapter: String?)
    /// A controller that speaks HCI in H4 form at this path.
    case line(String)
    /// No radio: the hub delivers the pictures of cameras only.
    case none

    /// Reads `bluez`, `bluez:hci0`, `none` or a path.
    init(_ text: String) throws(UsageError) {
        guard text != "none" else {
            self = .none
            return
        }
        let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.first == "bluez" else {
            self = .line(text)
            return
        }
        guard parts.count == 1 || parts[1].wholeMatch(of: /hci[0-9]{1,4}/) != nil else {
            throw UsageError("--controller wants the name of an adapter after bluez:, such as bluez:hci0, not \(text)")
        }
        self = .bluez(adapter: parts.count == 1 ? nil : String(parts[1]))
    }

    var description: String {
        switch self {
        case .bluez(let adapter): adapter.map { "bluez:\($0)" } ?? "bluez"
        case .line(let path): path
        case .none: "none"
        }
    }

    /// Returns the closed line to the controller.
    func line(_ profiles: [GATTProfile]) -> any RadioLine {
        switch self {
        case .bluez(let adapter): BlueZLine(adapter: adapter, profiles: profiles)
        case .line(let path): ControllerLine(path: path, profiles: profiles)
        case .none: NoLine()
        }
    }
}
