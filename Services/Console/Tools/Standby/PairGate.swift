import System

/// Whether the services of this machine may run, where each is a container: a file that all of them see.
///
/// The container of the pair writes it each second, from its first look at the other machine on.
struct PairGate {
    enum State: String {
        /// This machine runs the farm.
        case primary
        /// It receives the farm's data; its services wait for a promotion.
        case standby
        /// Its standby has taken over; its services must not run.
        case fenced
    }

    /// The folder that all containers mount.
    let folder: String

    private var path: String { "\(folder)/pair" }

    func write(_ state: State) throws {
        try File.writeAtomically(path, Array("\(state.rawValue)\n".utf8), mode: 0o444)
    }

    /// Returns the state; nil if this machine belongs to no pair.
    func read() throws -> State? {
        guard File.exists(path) else { return nil }
        let text = String(decoding: try File.read(path, limit: 64), as: UTF8.self)
        guard let state = State(rawValue: String(text.prefix { $0 != "\n" })) else {
            throw Refusal("\(path) has a state that this build does not know; update it.")
        }
        return state
    }

    /// When it was written last, in microseconds since 1970; nil if it never was.
    func written() throws -> Int64? { File.exists(path) ? try File.written(path) : nil }
}
