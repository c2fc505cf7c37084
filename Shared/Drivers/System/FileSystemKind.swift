internal import CSystem
internal import Glibc

/// Returns whether the file system that contains `path` is on this machine, and its name.
///
/// Network and user-space file systems do not provide the locks and syncs that journals need. They are recognised by
/// the magic numbers of `statfs(2)`. An unknown number counts as local, and its digits are the name.
public func isLocalFileSystem(_ path: String) throws(SystemError) -> (isLocal: Bool, name: String) {
    var magic: UInt64 = 0
    _ = try SystemError.checked(unsafe csystem_filesystem_magic(path, &magic), "statfs", path)
    if let name = FileSystemKind.remote[magic] { return (false, name) }
    return (true, FileSystemKind.local[magic] ?? "0x" + String(magic, radix: 16))
}

/// The magic numbers of `linux/magic.h`, and of well-known file systems outside the kernel.
enum FileSystemKind {
    static let remote: [UInt64: String] = [
        0x6969: "nfs", 0x517B: "smb", 0xFF53_4D42: "cifs", 0xFE53_4D42: "smb2", 0x0102_1997: "9p",
        0x6573_5546: "fuse", 0x5346_414F: "afs", 0x6B41_4653: "kafs", 0x00C3_6400: "ceph", 0x7375_7245: "coda",
        0x564C: "ncpfs", 0x7461_636F: "ocfs2", 0x0116_1970: "gfs2", 0x0BD0_0BD0: "lustre", 0x786F_4256: "vboxsf",
        0x4750_4653: "gpfs", 0xAAD7_AAEA: "panfs", 0xBACB_ACBC: "vmhgfs", 0x2003_0528: "orangefs",
        0x7C7C_6673: "prl_fs",
        0x1983_0326: "fhgfs", 0x0131_11A8: "ibrix",
    ]
    static let local: [UInt64: String] = [
        0xEF53: "ext4", 0x5846_5342: "xfs", 0x9123_683E: "btrfs", 0x0102_1994: "tmpfs", 0x794C_7630: "overlay",
        0x2FC1_2FC1: "zfs", 0xF2F5_2010: "f2fs", 0x8584_58F6: "ramfs", 0xCA45_1A4E: "bcachefs", 0x4D44: "vfat",
        0x2011_BAB0: "exfat", 0x3153_464A: "jfs", 0x5265_4973: "reiserfs", 0x3434: "nilfs", 0x7366_746E: "ntfs",
        0xF15F: "ecryptfs", 0x7371_7368: "squashfs",
    ]
}
