import Crypto
public import EventSourcing
import System
import Wire

/// Where a journal's sealed segments lie: a folder beside its file, and the key that seals them.
public struct SegmentDirectory: Sendable {
    public let path: String

    /// The folder of the journal at `path`, whether or not that file is there: the ledger's lies in Postgres.
    public init(ofJournal path: String) {
        self.path = (path.hasSuffix(".db") ? String(path.dropLast(3)) : path) + Self.suffix
    }

    public init(path: String) {
        self.path = path
    }

    /// What the folder's name has behind its journal's.
    public static let suffix = ".segments"

    /// The ending of a segment's file.
    static let ending = ".segment"

    /// The file of a segment: its positions in twelve digits, so that names sort as positions do.
    public static func name(of positions: ClosedRange<Position>) -> String {
        "\(digits(positions.lowerBound))-\(digits(positions.upperBound))\(ending)"
    }

    private static func digits(_ position: Position) -> String {
        let text = String(position)
        return String(repeating: "0", count: max(0, 12 - text.utf8.count)) + text
    }

    public func file(of positions: ClosedRange<Position>) -> String { "\(path)/\(Self.name(of: positions))" }

    /// Where a segment without what was let go waits to take the place of the one it was made from.
    func prunedFile(of positions: ClosedRange<Position>) -> String { file(of: positions) + Self.prunedEnding }

    private static let prunedEnding = ".pruned"

    /// The names of all segments, oldest first.
    public func names() throws(LogFailure) -> [String] {
        guard Directory.isDirectory(path) else { return [] }
        return try keeping { () throws(SystemError) in
            try Directory.list(path).filter { $0.hasSuffix(Self.ending) }
        }
    }

    /// Removes what a killed process has left half written.
    private func tidy() throws(SystemError) {
        for name in try Directory.list(path) where name.hasSuffix(".new") { try File.remove("\(path)/\(name)") }
    }

    /// Writes a segment: on the disk for good, name and all, when this returns.
    func write(_ file: [UInt8], _ positions: ClosedRange<Position>) throws(LogFailure) {
        try keeping { () throws(SystemError) in
            try tidy()
            try File.writeAtomically(self.file(of: positions), file, mode: 0o600)
        }
    }

    /// Writes what is to take a segment's place once the journal says so: on the disk for good when this returns.
    func write(pruned file: [UInt8], _ positions: ClosedRange<Position>) throws(LogFailure) {
        try keeping { () throws(SystemError) in
            try File.writeAtomically(prunedFile(of: positions), file, mode: 0o600)
        }
    }

    /// Gives a segment's place to the one without what was let go. A process that dies before leaves both, and readers
    /// take the one that the journal names.
    func replace(_ positions: ClosedRange<Position>) throws(LogFailure) {
        try keeping { () throws(SystemError) in
            try File.move(prunedFile(of: positions), to: self.file(of: positions))
        }
    }

    /// What a killed process has left of letting go: it takes its place where the journal names it, or is removed.
    func settle(_ isNamed: (ClosedRange<Position>, _ note: [UInt8]) throws(LogFailure) -> Bool) throws(LogFailure) {
        guard Directory.isDirectory(path) else { return }
        let names = try keeping { () throws(SystemError) in try Directory.list(path) }
        for name in names where name.hasSuffix(Self.prunedEnding) {
            let segment = try Segment(path: "\(path)/\(name)")
            if try isNamed(segment.head.positions, segment.note) {
                try replace(segment.head.positions)
            } else {
                try keeping { () throws(SystemError) in try File.remove("\(path)/\(name)") }
            }
        }
    }

    /// The key that seals this journal, made the first time. It signs, and opens nothing: a journal that is restored
    /// without it goes on with a new one, which it announces.
    func signer(of feed: String) throws(LogFailure) -> NoteSigner {
        let seed = try keeping { () throws(SystemError) in
            let key = "\(path)/\(Self.keyName)"
            if File.exists(key) { return try File.read(key, limit: Ed25519Key.keySize) }
            try Directory.create(path, mode: 0o700)
            try Directory.synchronize(path.split(separator: "/").dropLast().reduce("") { "\($0)/\($1)" })
            let seed = Ed25519Key.generate().seed
            try File.writeAtomically(key, seed, mode: 0o600)
            return seed
        }
        do throws(CryptoError) {
            if let signer = NoteSigner(name: feed, try Ed25519Key(seed: seed)) { return signer }
        } catch {
            throw LogFailure(operation: "seal", message: "the key in \(path) is none: \(error.reason)")
        }
        throw LogFailure(operation: "seal", message: "\(feed) cannot sign")
    }

    static let keyName = "key"

    private func keeping<Result>(_ body: () throws(SystemError) -> Result) throws(LogFailure) -> Result {
        do throws(SystemError) {
            return try body()
        } catch {
            throw LogFailure(operation: "keep a segment", message: "\(error)")
        }
    }
}
