import System

/// The marker file in a home while a backup is restored into it, so that no service starts from incomplete data.
public enum RestoreMark {
    /// The name of the file in the home.
    public static let fileName = "restoring"

    /// Throws if the home is only partly restored.
    static func check(_ home: String) throws(SettingError) {
        guard File.exists("\(home)/\(fileName)") else { return }
        throw SettingError(
            name: "FURROW_HOME", reason: "is being restored at \(home), or that broke off: run furrow restore again")
    }
}
