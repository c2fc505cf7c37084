import System
public import Vocabulary

/// Which build a process is of: all programs of one build lie in one folder, and say when its `furrow` was written.
public enum Build {
    /// Nil where there is no such program. Asked for once, at the start: later another build may lie there.
    public static func time() -> Instant? {
        guard let program = Machine.executablePath, let slash = program.lastIndex(of: "/") else { return nil }
        do {
            return Instant(microseconds: try File.modified("\(program[..<slash])/furrow"))
        } catch {
            // A service that was put somewhere by itself.
            return nil
        }
    }
}
