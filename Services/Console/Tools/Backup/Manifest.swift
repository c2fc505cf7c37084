import Crypto
import EventSourcing
import HubStore
import JSON
import System
import Vocabulary
import Wire

/// The manifest of a backup part: every file with its sums, and the end of each journal.
///
/// It is a file of JSON lines. The last line seals all lines before it and has a fixed length, so it can be verified by
/// itself: any changed byte of the file can be located.
struct Manifest: Equatable, Sendable {
    /// The parts of a backup: facts, and separately everything that is secret or must be erasable.
    enum Part: String, Sendable {
        case facts
        case vault
    }

    /// The end of an origin's journal.
    struct Journal: Equatable, Sendable {
        let head: Head
        let file: String
    }

    /// The end of the hub.
    struct Hub: Equatable, Sendable {
        /// The version of the hub's tables.
        let format: Int
        /// The origin of the ledger.
        let origin: String
        let head: Head
        /// The chain hash before the first entry.
        let start: [UInt8]
        /// The newest signed checkpoint, a C2SP note.
        let checkpoint: String?
    }

    /// One file below the manifest's folder.
    struct Kept: Equatable, Sendable {
        let path: String
        let sum: FileSum
    }

    /// The name of the backup, the same for both parts.
    let name: String
    let part: Part
    let made: Instant
    var hub: Hub?
    var journals: [Journal] = []
    var files: [Kept] = []

    static let fileName = "manifest.jsonl"
    /// The version of this format; newer ones are rejected.
    static let format = 2
    /// The size limit of a manifest, enough for a backup of about 300 GB.
    static let bytesAtMost = 256 << 20

    init(name: String, part: Part, made: Instant) {
        self.name = name
        self.part = part
        self.made = made
    }

    /// The format that this backup needs: programs that know format 1 read one file of each table of the hub.
    private var format: Int {
        let second = Set(HubDump.tables.map { HubTableFiles.name(of: $0, 1) })
        return files.contains { second.contains($0.path) } ? Self.format : 1
    }

    func kept(_ path: String) -> Kept? { files.first { $0.path == path } }

    var bytes: Int { files.reduce(0) { $0 + $1.sum.bytes } }

    /// The content of the file.
    var text: [UInt8] {
        var text: [UInt8] = []
        text += line { json in
            json.field("backup", name)
            json.field("format", format)
            json.field("part", part.rawValue)
            json.field("made", made)
        }
        if let hub {
            text += line { json in
                json.field("hub", hub.origin)
                json.field("tables", hub.format)
                write(hub.head, &json)
                json.field("start", Hex.encode(hub.start))
                json.field("checkpoint", ifPresent: hub.checkpoint)
            }
        }
        for journal in journals {
            text += line { json in
                json.field("journal", journal.head.feed)
                write(journal.head, &json)
                json.field("file", journal.file)
            }
        }
        for file in files {
            text += line { json in
                json.field("file", file.path)
                json.field("bytes", file.sum.bytes)
                json.field("sha256", file.sum.digest)
                json.field("blockBytes", file.sum.blockBytes)
                json.field("blocks", file.sum.blocks.map(\.text))
            }
        }
        return text + Seal(text).text
    }

    private func write(_ head: Head, _ json: inout JSONWriter) {
        json.field("epoch", head.epoch)
        json.field("position", head.position)
        json.field("hash", Hex.encode(head.hash))
    }

    private func line(_ write: (inout JSONWriter) -> Void) -> [UInt8] {
        var json = JSONWriter()
        json.object(write)
        return json.bytes + [10]
    }
}

/// The last line of a manifest: SHA-256 and locator sums of everything before it, of fixed length.
private struct Seal {
    let text: [UInt8]

    private static let opening = "{\"sealed\":\""
    private static let middle = "\",\"sums\":\""
    private static let closing = "\"}\n"
    static let bytes = opening.utf8.count + 64 + middle.utf8.count + DamageLocator.textBytes + closing.utf8.count

    init(_ body: [UInt8]) {
        let words = [
            Self.opening, Hex.encode(SHA256.hash(body)), Self.middle, DamageLocator(body[...]).text, Self.closing,
        ]
        text = words.flatMap { Array($0.utf8) }
    }

    /// Returns the damage in a manifest's bytes; nil if there is none.
    static func damage(in bytes: [UInt8]) -> Damage? {
        guard bytes.count > Self.bytes else {
            return Damage(file: Manifest.fileName, offset: bytes.count, what: "the file ends here")
        }
        let body = Array(bytes.dropLast(Self.bytes))
        let found = Array(bytes.suffix(Self.bytes))
        let expected = Seal(body).text
        guard found != expected else { return nil }
        let places = found.indices.filter { found[$0] != expected[$0] }
        // A change of the body changes most of the digest, so a single difference is in the seal itself.
        if let place = places.first, places.count == 1 {
            return Damage(
                file: Manifest.fileName, offset: body.count + place,
                what: "the byte is \(found[place]) and was \(expected[place])")
        }
        let sumsStart = Self.bytes - Self.closing.utf8.count - DamageLocator.textBytes
        let sums = String(decoding: found[sumsStart..<(sumsStart + DamageLocator.textBytes)], as: UTF8.self)
        if let sums = DamageLocator(sums[...]),
            let byte = Damage.changed(in: body, from: sums, isRepaired: { Seal($0).text == found })
        {
            return Damage(
                file: Manifest.fileName, offset: byte.index, what: "the byte is \(byte.found) and was \(byte.was)")
        }
        return Damage(file: Manifest.fileName, offset: 0, what: "it is not what was sealed")
    }
}

// Reading.
extension Manifest {
    /// Reads the manifest of a folder. Throws ``Damage`` if its bytes have changed.
    init(in folder: String) throws {
        let path = "\(folder)/\(Self.fileName)"
        guard File.exists(path) else {
            throw Refusal("\(folder) is no backup of Furrow: it has no \(Self.fileName).")
        }
        try self.init(bytes: try File.read(path, limit: Self.bytesAtMost))
    }

    init(bytes: [UInt8]) throws {
        if let damage = Seal.damage(in: bytes) { throw damage }
        let lines = bytes.dropLast(Seal.bytes).split(separator: 10)
        guard let first = lines.first else { throw Refusal("The manifest is empty.") }
        let head = try JSONValue.parse(Array(first))
        let format: Int = try head.get("format")
        guard format <= Self.format else {
            throw Refusal("A newer Furrow made this backup (format \(format)); restore it with that one or a newer.")
        }
        guard let part = Part(rawValue: try head.get("part")) else { throw Refusal("The manifest names no part.") }
        self.init(name: try head.get("backup"), part: part, made: try head.get("made"))
        for line in lines.dropFirst() { try take(JSONValue.parse(Array(line))) }
    }

    private mutating func take(_ line: JSONValue) throws {
        if let origin: String = try line.find("hub") {
            hub = Hub(
                format: try line.get("tables"), origin: origin, head: try Self.head("hub", line),
                start: try Self.bytes("start", line), checkpoint: try line.find("checkpoint"))
        } else if let feed: String = try line.find("journal") {
            journals.append(Journal(head: try Self.head(feed, line), file: try line.get("file")))
        } else {
            let texts: [String] = try line.get("blocks")
            let blocks = texts.compactMap { FileSum.Block($0) }
            let path: String = try line.get("file")
            guard blocks.count == texts.count, Self.isSafe(path) else { throw line.error("expected a file") }
            let sum = FileSum(
                bytes: try line.get("bytes"), digest: try line.get("sha256"), blockBytes: try line.get("blockBytes"),
                blocks: blocks)
            files.append(Kept(path: path, sum: sum))
        }
    }

    private static func head(_ feed: String, _ line: JSONValue) throws -> Head {
        Head(
            feed: feed, epoch: try line.get("epoch"), position: try line.get("position"),
            hash: try bytes("hash", line))
    }

    private static func bytes(_ key: String, _ line: JSONValue) throws -> [UInt8] {
        guard let bytes = Hex.decode(try line.get(key)) else { throw line.error("expected hexadecimal digits") }
        return bytes
    }

    /// Returns whether a path stays below its folder.
    private static func isSafe(_ path: String) -> Bool {
        path.split(separator: "/", omittingEmptySubsequences: false).allSatisfy { part in
            !part.isEmpty && part != "." && part != ".." && !part.utf8.contains(0)
        }
    }
}
