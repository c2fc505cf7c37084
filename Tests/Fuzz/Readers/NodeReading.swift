import JSON

@testable import HTTP
@testable import ProxyNode
@testable import Sharing

/// What a farm sends to a node: header fields, a line each, and after a blank line the list of its pages.
enum NodeReading {
    static func read(_ bytes: [UInt8]) {
        let parts = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        let lines = parts.prefix { !$0.isEmpty }
        var headers = HTTPHeaders()
        for line in lines {
            guard let colon = line.firstIndex(of: UInt8(ascii: ":")) else { continue }
            headers.add(text(line[..<colon]), text(line[line.index(after: colon)...].drop { $0 == 0x20 }))
        }
        let body = Array(parts.dropFirst(lines.count + 1).joined(separator: [UInt8(ascii: "\n")]))
        let response = StoredResponse(headers: headers.passedOn, body: body, receivedAt: 0)
        for age in [0, 1, 60, 700_000, Int.max - 1] {
            let freshness = ResponseFreshness(response.directives, age: age)
            precondition(
                age < 2 * CacheDirectives.longestSeconds || freshness == .unusable, "a response lives for ever")
        }
        precondition(response.age(at: .max) ?? 0 >= 0 && response.age(at: -2_000_000) == nil, "an age that is none")
        precondition(response.headers["Set-Cookie"] == nil, "a cookie is stored")
        do throws(JSONError) {
            let pages = try FarmPages(json: JSONValue.parse(body))
            for path in ["", "/", "/shop/a", "/S1/01/2/10/L", text(body.prefix(40)[...])] {
                guard let file = pages.file(for: path) else { continue }
                precondition(file.hasPrefix("/") && !file.hasPrefix("//"), "a page of another host")
            }
        } catch { return }
    }

    private static func text(_ bytes: ArraySlice<UInt8>) -> String { String(decoding: bytes, as: UTF8.self) }

    /// Returns header fields of each form, with and without a list of pages.
    static func seeds() -> [[UInt8]] {
        let pages =
            #"{"build":"1","pages":[{"file":"/assets/index.html","paths":["/","/shop/**","/S1*/01/*/*/**"]}],"#
            + #""files":["/assets/a.js","//b"]}"#
        let fields = [
            "", "Cache-Control: max-age=5", "Cache-Control: public, s-maxage=\"9\", no-cache=\"Set-Cookie\"",
            "CDN-Cache-Control: max-age=60, stale-if-error=5", "Furrow-Cache-Control: private",
            "Furrow-Cache-Control: max-age=5, stale-while-revalidate=60, stale-if-error=604800",
            "Cache-Control: no-store\nVary: *", "Set-Cookie: a=b\nAge: 7", "Age: -1\nETag: \"x\"",
            "Age: 9223372036854775807",
            "Cache-Control: max-age=99999999999999999999, must-revalidate",
        ]
        let bodies = [pages, "{}", #"{"pages":[{"file":"/a","paths":["/**","/*b"]}],"files":[]}"#]
        return fields.flatMap { field in bodies.map { Array((field + (field.isEmpty ? "" : "\n") + "\n" + $0).utf8) } }
    }
}
