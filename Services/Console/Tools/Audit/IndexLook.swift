import EventSourcing
import JSON
import System

/// A check of a service's index against the bytes of its events, which the service itself runs; this waits until it is
/// done.
struct IndexLook {
    private let origin: Origin
    private let pull: JournalPull

    /// The interval between two requests, and the time without progress after which the check fails.
    private static let pauseMilliseconds = 50
    private static let patience: Int64 = 60_000_000

    init(at origin: Origin, asking pull: JournalPull) {
        self.origin = origin
        self.pull = pull
    }

    /// Returns the index's differences as sentences. Throws `Refusal` if the index could not be checked.
    ///
    /// - Parameter head: the last position of the journal.
    func flaws(of head: Position) throws -> Findings {
        var progress = Progress("checking the index of \(origin)", of: Int(head))
        var (steps, since) = (0, Clock.monotonicMicroseconds())
        var look = try ask(beginning: true)
        while try !look.get("done", as: Bool.self) {
            guard try look.get("begun", as: Bool.self) else {
                throw Refusal("the check was restarted meanwhile; try again.")
            }
            _ = try Poll.wait([], milliseconds: Self.pauseMilliseconds)
            look = try ask(beginning: false)
            let done: Int = try look.get("steps")
            if done != steps { (steps, since) = (done, Clock.monotonicMicroseconds()) }
            let position: Position = try look.get("position")
            guard Clock.monotonicMicroseconds() - since < Self.patience else {
                throw Refusal("it makes no progress, at \(position).")
            }
            progress.reached(Int(position))
        }
        if let failure: String = try look.find("failure") { throw Refusal(failure) }
        return Findings(try look.get("flaws"), of: try look.get("flawCount"))
    }

    private func ask(beginning isBeginning: Bool) throws -> JSONValue {
        var json = JSONWriter()
        json.object { $0.field("begin", isBeginning) }
        let answer = try pull.ask(origin.service, "host.index", slot: origin.slot, body: json.bytes)
        guard answer.status == 200 else { throw Refusal("its status is \(answer.status); is it of this build?") }
        return try JSONValue.parse(answer.body)
    }
}
