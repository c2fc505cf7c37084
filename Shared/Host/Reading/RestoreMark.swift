public import System

/// The marker file in a home while a backup is restored into it, so that no service starts from incomplete data.
public enum RestoreMark {
    /// The name of the file in the home.
    public static let fileName = "restoring"

    /// Marks homes. `origin` says where their content comes from.
    public static func set(_ homes: [String], origin: String) throws(SystemError) {
        for home in homes {
            try File.writeAtomically("\(home)/\(fileName)", Array("\(origin)\n".utf8), mode: 0o600)
        }
    }

    /// Removes the mark from homes that are complete.
    public static func clear(_ homes: [String]) throws(SystemError) {
        for home in homes {
            try File.remove("\(home)/\(fileName)")
            try Directory.synchronize(home)
        }
    }

    /// Throws if the home is only partly restored.
    static func check(_ home: String) throws(SettingError) {
        guard File.exists("\(home)/\(fileName)") else { return }
        throw SettingError(
            name: "FURROW_HOME", reason: "is being restored at \(home), or that broke off: run furrow restore again")
    }
}
