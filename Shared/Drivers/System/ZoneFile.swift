/// The files of the time zones that this machine knows (Debian's tzdata).
public enum ZoneFile {
    private static let folder = "/usr/share/zoneinfo"

    /// Returns the file (TZif, RFC 9636) of a zone such as `Europe/Vienna`; nil if there is none.
    public static func read(_ name: String) -> [UInt8]? {
        // Every part of a zone's name begins with a capital. Other files and path traversal do not match.
        guard name.split(separator: "/", omittingEmptySubsequences: false).allSatisfy(isPart) else { return nil }
        do {
            return try File.read("\(folder)/\(name)", limit: 65_536)
        } catch {
            return nil
        }
    }

    private static func isPart(_ part: Substring) -> Bool {
        ("A"..."Z").contains(part.prefix(1))
            && part.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "+"), UInt8(ascii: "-"):
                    true
                default: false
                }
            }
    }
}
