import JSON
import Sharing

/// Which addresses of a farm show which file: all pages of a shop, for example, are one file that finds out by its
/// address what to show. A node thus serves pages that were never requested from it.
///
/// The farm publishes it at ``FarmPages/address``: `pages` with a `file` and the patterns of its `paths`, and `files`,
/// what these pages need. In a pattern `*` matches any characters of a segment, and `**` at the end one or more
/// segments.
struct FarmPages: Hashable, Sendable, JSONReadable {
    private struct Page: Hashable, Sendable, JSONReadable {
        let file: String
        let paths: [[Substring]]

        init(json: borrowing JSONValue) throws(JSONError) {
            file = try json.get("file")
            let patterns: [String] = try json.get("paths")
            paths = patterns.prefix(NodeLimits.patterns).map(FarmPages.segments)
        }
    }

    static let address = "/.well-known/furrow-pages"

    private let pages: [Page]
    /// The addresses of what the pages need.
    let files: [String]

    init(json: borrowing JSONValue) throws(JSONError) {
        let pages: [Page] = try json.get("pages")
        let files: [String] = try json.get("files")
        self.pages = Array(pages.prefix(NodeLimits.patterns)).filter { Self.isUsable($0.file) }
        self.files = Array(files.prefix(NodeLimits.pageFiles)).filter(Self.isUsable)
    }

    /// Returns the address of the file that an address shows; nil if it is no page of the farm.
    func file(for path: String) -> String? {
        let segments = Self.segments(path.lowercased())
        return pages.first { $0.paths.contains { Self.matches(segments[...], $0[...]) } }?.file
    }

    private static func isUsable(_ address: String) -> Bool {
        address.hasPrefix("/") && !address.hasPrefix("//") && address.utf8.count <= SharingLimits.targetBytes
    }

    private static func segments(_ path: String) -> [Substring] {
        Array(path.split(separator: "/", omittingEmptySubsequences: false).dropFirst())
    }

    private static func matches(_ segments: ArraySlice<Substring>, _ pattern: ArraySlice<Substring>) -> Bool {
        guard let first = pattern.first else { return segments.isEmpty }
        if first == "**" { return !segments.isEmpty }
        guard let segment = segments.first, matches(segment, first) else { return false }
        return matches(segments.dropFirst(), pattern.dropFirst())
    }

    /// Matches a segment; a pattern has one `*` at most.
    private static func matches(_ segment: Substring, _ pattern: Substring) -> Bool {
        guard let star = pattern.firstIndex(of: "*") else { return segment == pattern.lowercased() }
        let (before, after) = (pattern[..<star].lowercased(), pattern[pattern.index(after: star)...].lowercased())
        return segment.count >= before.count + after.count && segment.hasPrefix(before) && segment.hasSuffix(after)
    }
}
