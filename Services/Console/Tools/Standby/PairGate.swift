import System

/// Whether the services of this machine may run, where each is a container: a word in a folder that all of them see.
///
/// The container of the pair writes it each second, from its first look at the other machine on.
struct PairGate {
    enum Word: String {
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

    func write(_ word: Word) throws {
        try File.writeAtomically(path, Array("\(word.rawValue)\n".utf8), mode: 0o444)
    }

    /// Returns the word; nil if this machine belongs to no pair.
    func read() throws -> Word? {
        guard File.exists(path) else { return nil }
        let text = String(decoding: try File.read(path, limit: 64), as: UTF8.self)
        guard let word = Word(rawValue: String(text.prefix { $0 != "\n" })) else {
            throw Refusal("\(path) has a word that this build does not know; update it.")
        }
        return word
    }

    /// When the word was written last (file time, nanoseconds); nil if it never was.
    func written() throws -> Int64? { File.exists(path) ? try File.written(path) : nil }
}
