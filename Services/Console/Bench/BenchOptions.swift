import EventStore
import System

/// What to measure, and how.
struct BenchOptions {
    /// What there is to measure.
    enum Name: String, CaseIterable {
        case append
        case appendLocal = "append-local"
        case replay
        case start
        case rebuild
        case decode
        /// Each part of an event's way by itself: what bounds the others.
        case parts
        /// Measures nothing: prints the events, to measure others with the same.
        case events
    }

    /// How clients and readers reach the measured service.
    enum Transport: String, CaseIterable {
        case ipc
        case tcp
        /// TCP, encrypted, to whoever is on a list.
        case curve
    }

    let name: Name
    let events: Int
    let clients: Int
    let inflight: Int
    /// About how many bytes an event has; nil leaves it as it is.
    let size: Int?
    let transport: Transport
    /// Whether the measured service folds its views while it appends.
    let foldsViews: Bool
    /// How many readers replay the journal, filled first, while it is appended to.
    let readers: Int
    /// A program that asks instead of this one.
    let load: String?
    let file: String?
    let isJSON: Bool
    /// A folder of this measurement alone, which goes when it is over.
    let folder: String
    /// The folder of its sockets: the path of a socket ends at 107 bytes.
    let run: String

    init(_ arguments: inout Arguments) throws {
        let home = try arguments.value("--home") ?? "/var/tmp"
        events = try arguments.number("--events", 1...100_000_000) ?? 100_000
        clients = try arguments.number("--clients", 1...1024) ?? 64
        inflight = try arguments.number("--inflight", 1...256) ?? 1
        size = try arguments.number("--size", 100...65_000)
        file = try arguments.value("--file")
        transport = try Self.word(try arguments.value("--transport") ?? "ipc", of: "--transport")
        foldsViews = arguments.flag("--views")
        readers = try arguments.number("--readers", 0...64) ?? 0
        load = try arguments.value("--load")
        isJSON = arguments.flag("--json")
        guard let name = arguments.word() else {
            throw Refusal("Say what to measure: \(Self.all(Name.self)).", isMisuse: true)
        }
        self.name = try Self.word(name, of: "furrow bench")
        try arguments.end()
        folder = "\(home)/furrow-bench-\(Machine.processID)"
        run = "/tmp/furrow-bench-\(Machine.processID)"
        if load != nil, transport == .curve { throw Refusal("--load: it asks without CURVE.", isMisuse: true) }
        if self.name == .decode, file == nil { throw Refusal("Say which capture to decode: --file F", isMisuse: true) }
    }

    private static func word<Word: RawRepresentable<String> & CaseIterable>(
        _ text: String, of place: String
    ) throws(Refusal) -> Word {
        guard let word = Word(rawValue: text) else {
            throw Refusal("\(place): \(text) is none of \(all(Word.self)).", isMisuse: true)
        }
        return word
    }

    private static func all<Word: RawRepresentable<String> & CaseIterable>(_ type: Word.Type) -> String {
        Word.allCases.map(\.rawValue).joined(separator: ", ")
    }
}
