import EventSourcing
import JSON
import System

/// Has a service hold what its store keeps beside the events' bytes against these, and waits until it has.
struct IndexLook {
    private let origin: Origin
    private let pull: JournalPull

    /// Between two questions, and how long a look may stand still.
    private static let pauseMilliseconds = 50
    private static let patience: Int64 = 60_000_000

    init(at origin: Origin, asking pull: JournalPull) {
        self.origin = origin
        self.pull = pull
    }

    /// What does not hold, in words. Refuses where the index could not be checked.
    ///
    /// - Parameter head: how far the journal reaches.
    func flaws(of head: Position) throws -> Findings {
        var progress = Progress("looking at the index of \(origin)", of: Int(head))
        var (steps, since) = (0, Clock.monotonicMicroseconds())
        var look = try ask(beginning: true)
        while try !look.get("done", as: Bool.self) {
            guard try look.get("begun", as: Bool.self) else {
                throw Refusal("it was started anew meanwhile; ask again.")
            }
            _ = try Poll.wait([], milliseconds: Self.pauseMilliseconds)
            look = try ask(beginning: false)
            let done: Int = try look.get("steps")
            if done != steps { (steps, since) = (done, Clock.monotonicMicroseconds()) }
            let position: Position = try look.get("position")
            guard Clock.monotonicMicroseconds() - since < Self.patience else {
                throw Refusal("it does not get on, at \(position).")
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
        guard answer.status == 200 else { throw Refusal("it answers \(answer.status); is it of this build?") }
        return try JSONValue.parse(answer.body)
    }
}
