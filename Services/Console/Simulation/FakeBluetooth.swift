import Glibc
import System

/// The pseudo terminal on which a real `furrow-hub` of a demonstration finds a controller.
final class FakeBluetooth {
    private let terminal: PseudoTerminal
    private var controller = FakeController()
    private var ticked: Int64 = 0

    /// - Parameter path: where the hub finds the line.
    init(at path: String) throws(SystemError) {
        terminal = try PseudoTerminal()
        try File.link(path, to: terminal.slavePath)
    }

    /// Answers the hub; once a second the tag advertises or notifies. Called often.
    func tend() throws {
        var bytes: [UInt8] = []
        if try !Poll.wait([terminal.descriptor], milliseconds: 0).isEmpty {
            _ = try terminal.read(into: &bytes, limit: 4_096)
        }
        var answer = controller.answer(bytes)
        let now = Clock.monotonicMicroseconds()
        if now - ticked >= 1_000_000 {
            ticked = now
            let hours = Double(Clock.realMicroseconds()) / 3_600_000_000
            answer += controller.tick(
                celsius: 21 + 3 * sin(hours * .pi / 12), humidity: 55 + 5 * cos(hours * .pi / 12))
        }
        if !answer.isEmpty { try terminal.write(answer, milliseconds: 1_000) }
    }
}
