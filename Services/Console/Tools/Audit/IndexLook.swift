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

    /// What is not so, in words; nil where all of it is.
    ///
    /// - Parameter head: how far the journal reaches.
    func flaw(of head: Position) throws -> String? {
        var progress = Progress("looking at the index of \(origin)", of: Int(head))
        var (position, since) = (Position(0), Clock.monotonicMicroseconds())
        var look = try ask(beginning: true)
        while try !look.get("done", as: Bool.self) {
            _ = try Poll.wait([], milliseconds: Self.pauseMilliseconds)
            look = try ask(beginning: false)
            let reached: Position = try look.get("position")
            if reached != position { (position, since) = (reached, Clock.monotonicMicroseconds()) }
            guard Clock.monotonicMicroseconds() - since < Self.patience else {
                throw Refusal("\(origin) does not get on with its index, at \(position).")
            }
            progress.reached(Int(position))
        }
        return try look.find("flaw")
    }

    private func ask(beginning isBeginning: Bool) throws -> JSONValue {
        var json = JSONWriter()
        json.object { $0.field("begin", isBeginning) }
        let answer = try pull.ask(origin.service, "host.index", slot: origin.slot, body: json.bytes)
        guard answer.status == 200 else { throw Refusal("\(origin) does not tell of its index: \(answer.status)") }
        return try JSONValue.parse(answer.body)
    }
}
