import System
public import Vocabulary

/// The build of a process: all programs of one build are in one folder, and the build time is that of the file
/// `furrow`.
public enum Build {
    /// Returns the build time, or nil if there is no `furrow` beside this program. Call it once at the start: the file
    /// may be replaced later.
    public static func time() -> Instant? {
        guard let program = Machine.executablePath, let slash = program.lastIndex(of: "/") else { return nil }
        do {
            return Instant(microseconds: try File.modified("\(program[..<slash])/furrow"))
        } catch {
            // A service that was installed on its own.
            return nil
        }
    }
}
