public import JSON
public import System
public import Vocabulary

/// What a home remembers of its last backup, so that everybody who looks can tell how old it is.
public struct BackupRecord: JSONReadable, JSONWritable, Equatable, Sendable {
    /// When the last one was made that could be read back; nil before the first.
    public var made: Instant?
    /// Its folder.
    public var path: String?
    public var bytes: Int?
    /// Whether it was written to the very disk that the farm server keeps its things on.
    public var isOnSameDisk: Bool?
    /// When the last try failed, and why; nil where it did not.
    public var failed: Instant?
    public var why: String?

    public static let fileName = "backup.json"

    public init() {}

    public init(json: borrowing JSONValue) throws(JSONError) {
        made = try json.find("made")
        path = try json.find("path")
        bytes = try json.find("bytes")
        isOnSameDisk = try json.find("sameDisk")
        failed = try json.find("failed")
        why = try json.find("why")
    }

    public func write(to json: inout JSONWriter) {
        json.object { json in
            json.field("made", ifPresent: made)
            json.field("path", ifPresent: path)
            json.field("bytes", ifPresent: bytes)
            json.field("sameDisk", ifPresent: isOnSameDisk)
            json.field("failed", ifPresent: failed)
            json.field("why", ifPresent: why)
        }
    }

    /// Empty where there was no backup yet, or where nobody can read what is there.
    public static func read(_ home: String) -> BackupRecord {
        let path = "\(home)/\(fileName)"
        guard File.exists(path) else { return BackupRecord() }
        do {
            return try JSONValue.parse(File.read(path, limit: HostLimits.smallFileBytes)).read()
        } catch {
            var record = BackupRecord()
            record.why = "\(path) cannot be read: \(error)"
            return record
        }
    }

    public func keep(in home: String) throws(SystemError) {
        var json = JSONWriter()
        write(to: &json)
        try File.writeAtomically("\(home)/\(Self.fileName)", json.bytes + [10], mode: 0o600)
    }
}
