public import JSON
public import System
public import Vocabulary

/// The record of the last backup of a home, so that every status page can show its age.
public struct BackupRecord: JSONReadable, JSONWritable, Equatable, Sendable {
    /// The time of the last backup that could be read back; nil before the first.
    public var made: Instant?
    /// Its folder.
    public var path: String?
    /// The size of the backup in bytes.
    public var bytes: Int?
    /// Whether the backup is on the same disk as the farm server's data.
    public var isOnSameDisk: Bool?
    /// The time of the last attempt if it failed; nil if it succeeded.
    public var failed: Instant?
    /// Why the last attempt failed; nil if it succeeded.
    public var why: String?

    /// The time of the last test that restored a backup into a scratch home.
    public var restored: Instant?
    /// Why the last test failed; nil if it succeeded.
    public var restoreFault: String?

    /// The time of the last copy in a repository elsewhere.
    public var copied: Instant?
    /// Why the last backup could not be copied there; nil if it was, or if there is no repository.
    public var copyFault: String?

    /// The name of the file in the home.
    public static let fileName = "backup.json"

    /// Creates an empty record: no backup was made yet.
    public init() {}

    public init(json: borrowing JSONValue) throws(JSONError) {
        made = try json.find("made")
        path = try json.find("path")
        bytes = try json.find("bytes")
        isOnSameDisk = try json.find("sameDisk")
        failed = try json.find("failed")
        why = try json.find("why")
        restored = try json.find("restored")
        restoreFault = try json.find("restoreFault")
        copied = try json.find("copied")
        copyFault = try json.find("copyFault")
    }

    public func write(to json: inout JSONWriter) {
        json.object { json in
            json.field("made", ifPresent: made)
            json.field("path", ifPresent: path)
            json.field("bytes", ifPresent: bytes)
            json.field("sameDisk", ifPresent: isOnSameDisk)
            json.field("failed", ifPresent: failed)
            json.field("why", ifPresent: why)
            json.field("restored", ifPresent: restored)
            json.field("restoreFault", ifPresent: restoreFault)
            json.field("copied", ifPresent: copied)
            json.field("copyFault", ifPresent: copyFault)
        }
    }

    /// Returns the record of a home. If there is none it is empty; if it is unreadable, `why` holds the reason.
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

    /// Whether the last attempt, the last test of a restore or the last copy failed.
    public var isFailed: Bool { failed != nil || restoreFault != nil || copyFault != nil }

    /// Writes the record into a home atomically, readable by its owner only.
    public func save(in home: String) throws(SystemError) {
        var json = JSONWriter()
        write(to: &json)
        try File.writeAtomically("\(home)/\(Self.fileName)", json.bytes + [10], mode: 0o600)
    }
}
