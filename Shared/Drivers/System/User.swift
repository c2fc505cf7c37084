internal import CSystem
internal import Glibc

/// A user of this machine, with the ids that a process needs to become that user.
public struct User: Equatable, Sendable {
    /// The user id.
    public let id: UInt32
    /// The primary group id.
    public let group: UInt32
    /// The ids of all groups, the primary one included.
    public let groups: [UInt32]
    /// The home directory.
    public let home: String

    /// Looks a user up by name; nil if there is none.
    public init?(named name: String) throws(SystemError) {
        var entry = unsafe passwd()
        var found: UnsafeMutablePointer<passwd>?
        var text = [CChar](repeating: 0, count: SystemLimits.statusBytesMax)
        let result = unsafe getpwnam_r(name, &entry, &text, text.count, &found)
        guard result == 0 else { throw SystemError(code: result, operation: "look up user", path: name) }
        guard unsafe found != nil else { return nil }
        var groups = [gid_t](repeating: 0, count: SystemLimits.groupsMax)
        let listed = unsafe csystem_groups(name, entry.pw_gid, &groups, Int32(groups.count))
        let count = try SystemError.checked(listed, "look up groups", name)
        id = unsafe entry.pw_uid
        group = unsafe entry.pw_gid
        self.groups = Array(groups.prefix(Int(count)))
        home = unsafe String(cString: entry.pw_dir)
    }
}
