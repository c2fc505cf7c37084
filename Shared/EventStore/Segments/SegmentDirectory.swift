import Crypto
public import EventSourcing
import System
import Wire

/// The directory of a journal's segments, beside the journal's file, with the key that signs them.
public struct SegmentDirectory: Sendable {
    /// The path of the directory.
    public let path: String

    /// The directory that belongs to the journal at `path`. The file need not exist: the ledger's journal is in
    /// Postgres.
    public init(ofJournal path: String) {
        self.path = (path.hasSuffix(".db") ? String(path.dropLast(3)) : path) + Self.suffix
    }

    /// The directory at `path`.
    public init(path: String) {
        self.path = path
    }

    /// The suffix of the directory's name after that of its journal.
    public static let suffix = ".segments"

    /// The extension of a segment file.
    static let ending = ".segment"

    /// Returns the name of a segment file: both positions in twelve digits, so that names sort in order of positions.
    public static func name(of positions: ClosedRange<Position>) -> String {
        "\(digits(positions.lowerBound))-\(digits(positions.upperBound))\(ending)"
    }

    private static func digits(_ position: Position) -> String {
        let text = String(position)
        return String(repeating: "0", count: max(0, 12 - text.utf8.count)) + text
    }

    /// Returns the path of a segment file.
    public func file(of positions: ClosedRange<Position>) -> String { "\(path)/\(Self.name(of: positions))" }

    /// Returns the path at which a pruned segment is written before it replaces the sealed one.
    func prunedFile(of positions: ClosedRange<Position>) -> String { file(of: positions) + Self.prunedEnding }

    private static let prunedEnding = ".pruned"

    /// Returns the names of all segment files, oldest first.
    public func names() throws(LogFailure) -> [String] {
        guard Directory.isDirectory(path) else { return [] }
        return try keeping { () throws(SystemError) in
            try Directory.list(path).filter { $0.hasSuffix(Self.ending) }
        }
    }

    /// Creates the directory, durably. Does nothing if it exists.
    private func create() throws(SystemError) {
        guard !Directory.isDirectory(path) else { return }
        try Directory.create(path, mode: 0o700)
        try Directory.synchronize(path.split(separator: "/").dropLast().reduce("") { "\($0)/\($1)" })
    }

    /// Removes temporary files that a killed process left behind.
    private func tidy() throws(SystemError) {
        for name in try Directory.list(path) where name.hasSuffix(".new") { try File.remove("\(path)/\(name)") }
    }

    /// Writes and fsyncs a segment file; its directory entry is durable, too, when this returns.
    func write(_ file: [UInt8], _ positions: ClosedRange<Position>) throws(LogFailure) {
        try keeping { () throws(SystemError) in
            try create()
            try tidy()
            try File.writeAtomically(self.file(of: positions), file, mode: 0o600)
        }
    }

    /// Writes and fsyncs the pruned replacement of a segment. It is swapped in after `JournalPruned` is committed.
    func write(pruned file: [UInt8], _ positions: ClosedRange<Position>) throws(LogFailure) {
        try keeping { () throws(SystemError) in
            try File.writeAtomically(prunedFile(of: positions), file, mode: 0o600)
        }
    }

    /// Reads the whole file of a segment.
    package func read(_ positions: ClosedRange<Position>) throws(LogFailure) -> [UInt8] {
        try read(file: file(of: positions))
    }

    /// Reads the file of a pruned run, which is not swapped in yet. Throws if there is another one in its place.
    func read(_ run: PrunedRun) throws(LogFailure) -> [UInt8] {
        let bytes = try read(file: run.hasFile ? prunedFile(of: run.positions) : file(of: run.positions))
        guard SHA256.hash(try Segment(bytes: bytes).note) == run.digest else {
            throw LogFailure(operation: "prune", message: "the file of \(run.positions) is not the one that was pruned")
        }
        return bytes
    }

    private func read(file path: String) throws(LogFailure) -> [UInt8] {
        try keeping { () throws(SystemError) in
            try File.read(path, limit: SignedNote.noteBytesMax + StoreLimits.segmentBytes)
        }
    }

    /// Removes a segment file that no journal names.
    func remove(_ name: String) throws(LogFailure) {
        try keeping { () throws(SystemError) in try File.remove("\(path)/\(name)") }
    }

    /// Replaces a segment by its pruned version. After a crash before this, both exist and readers use the one that the
    /// journal names.
    func replace(_ positions: ClosedRange<Position>) throws(LogFailure) {
        try keeping { () throws(SystemError) in
            try File.move(prunedFile(of: positions), to: self.file(of: positions))
        }
    }

    /// Completes or discards prunes that a killed process left unfinished.
    ///
    /// A pruned file replaces the sealed one if the journal names it, and is removed otherwise.
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

    /// Returns the signer of this journal, whose key is created on first use.
    ///
    /// The key only signs. A journal that is restored without it continues with a new key, which it announces.
    func signer(of feed: String) throws(LogFailure) -> NoteSigner {
        let seed = try keeping { () throws(SystemError) in
            let key = "\(path)/\(Self.keyName)"
            if File.exists(key) { return try File.read(key, limit: Ed25519Key.keySize) }
            try create()
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
            throw LogFailure(operation: "write a segment", message: "\(error)")
        }
    }
}
