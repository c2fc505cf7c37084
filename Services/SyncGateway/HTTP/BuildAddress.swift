/// Addresses of scripts and styles that name the build of the pages, `/assets/BUILD/js/shop/main.js`: what they show
/// never changes, so browsers load it once.
enum BuildAddress {
    /// The hexadecimal digits of a build's hash.
    static let digits = 32
    /// The folders whose files are loaded by such addresses. The other files are named by scripts.
    static let folders = ["css/", "js/"]
    /// RFC 8246: not even a reload asks again.
    static let caching = "public, max-age=31536000, immutable"

    /// Returns an address without the build, and the build that it names; nil if it names none.
    static func parsed(_ path: String) -> (path: String, build: String?) {
        let parts = path.split(separator: "/", maxSplits: 3, omittingEmptySubsequences: false)
        guard parts.count == 4, parts[1] == "assets", parts[2].utf8.count == digits,
            parts[2].utf8.allSatisfy({ (0x30...0x39).contains($0) || (0x61...0x66).contains($0) }),
            folders.contains(where: parts[3].hasPrefix)
        else { return (path, nil) }
        return ("/assets/\(parts[3])", String(parts[2]))
    }
}
