package import HTTP

/// How long a response may be used, by its header fields (RFC 9111, 5861, 9213).
///
/// The farm addresses `Furrow-Cache-Control` to nodes, a targeted field by RFC 9213: other caches ignore it, so a
/// general cache never stores what only a node may. `CDN-Cache-Control` is next, then `Cache-Control`.
package struct CacheDirectives: Hashable, Sendable {
    /// Whether a shared cache may store it at all.
    package var isStorable = true
    /// Whether it is for one person only, so that a node does not even pass it on.
    package private(set) var isPrivate = false
    /// Seconds for which it is fresh.
    package var maxAge = 0
    /// Seconds after that in which it may be used while a newer one is fetched.
    package var staleWhileRevalidate = 0
    /// Seconds after `maxAge` in which it may be used if the farm cannot be reached or fails.
    package var staleIfError = SharingLimits.staleSeconds

    /// Longer durations are shortened to ten years.
    package static let longestSeconds = 315_360_000

    package static let targets = ["Furrow-Cache-Control", "CDN-Cache-Control", "Cache-Control"]

    /// Reads the directives of a response. A malformed targeted field is ignored (RFC 9213, 2.2).
    package init(_ headers: HTTPHeaders) {
        if headers["Set-Cookie"] != nil || headers.all("Vary").contains(where: { $0.contains("*") }) {
            isStorable = false
        }
        for name in Self.targets {
            let values = headers.all(name)
            guard !values.isEmpty, let members = Self.members(of: values.joined(separator: ",")) else { continue }
            apply(members)
            return
        }
    }

    private mutating func apply(_ members: [String: String]) {
        isPrivate = members["private"] != nil
        if members["no-store"] != nil || isPrivate { isStorable = false }
        // A duration that is not a number means that the response is stale (RFC 9111, 4.2.1).
        let age = members["s-maxage"] ?? members["max-age"]
        maxAge = age.map { Self.seconds($0) ?? 0 } ?? 0
        staleWhileRevalidate = members["stale-while-revalidate"].flatMap(Self.seconds) ?? 0
        let isStrict = ["no-cache", "must-revalidate", "proxy-revalidate", "s-maxage"].contains { members[$0] != nil }
        staleIfError = members["stale-if-error"].flatMap(Self.seconds) ?? (isStrict ? 0 : SharingLimits.staleSeconds)
        if members["no-cache"] != nil {
            (maxAge, staleWhileRevalidate) = (0, 0)
        }
    }

    /// Returns the members of a list such as `max-age=5, no-cache="Set-Cookie"`, by their names in lower case; nil if
    /// it is malformed. The last member of a name counts.
    private static func members(of text: String) -> [String: String]? {
        var members: [String: String] = [:]
        var rest = text.utf8[...]
        while true {
            rest = rest.drop { $0 == 0x20 || $0 == 0x09 || $0 == 0x2C }
            guard let first = rest.first else { return members }
            guard isNameByte(first) else { return nil }
            let name = rest.prefix(while: isNameByte)
            rest = rest.dropFirst(name.count)
            var value = rest.prefix(0)
            if rest.first == 0x3D {
                rest = rest.dropFirst()
                if rest.first == 0x22 {
                    rest = rest.dropFirst()
                    value = rest.prefix { $0 != 0x22 }
                    guard value.endIndex < rest.endIndex else { return nil }
                    rest = rest.dropFirst(value.count + 1)
                } else {
                    value = rest.prefix(while: isValueByte)
                    rest = rest.dropFirst(value.count)
                }
            }
            members[String(decoding: name, as: UTF8.self).lowercased()] = String(decoding: value, as: UTF8.self)
            rest = rest.drop { $0 == 0x20 || $0 == 0x09 }
            guard rest.isEmpty || rest.first == 0x2C else { return nil }
        }
    }

    private static func isNameByte(_ byte: UInt8) -> Bool {
        (0x61...0x7A).contains(byte) || (0x41...0x5A).contains(byte) || (0x30...0x39).contains(byte) || byte == 0x2D
            || byte == 0x5F || byte == 0x2A || byte == 0x2E
    }

    private static func isValueByte(_ byte: UInt8) -> Bool { byte > 0x20 && byte < 0x7F && byte != 0x2C }

    /// Returns a number of seconds.
    private static func seconds(_ text: String) -> Int? {
        guard !text.isEmpty, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
        return min(Int(text.prefix(12)) ?? 0, longestSeconds)
    }
}
