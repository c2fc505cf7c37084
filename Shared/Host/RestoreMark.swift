import System

/// What lies in a home while a backup is put into it: nothing of a half-made home may be started.
public enum RestoreMark {
    public static let fileName = "restoring"

    /// Refuses to start a service in a home that is half made.
    static func check(_ home: String) throws(SettingError) {
        guard File.exists("\(home)/\(fileName)") else { return }
        throw SettingError(
            name: "FURROW_HOME", reason: "is being restored at \(home), or that broke off: run furrow restore again")
    }
}
