import Crypto
public import HTTP
import JSON
public import System
import Telemetry
import Vocabulary
import Wire

/// The files of the web pages, read once at start and served from memory.
public struct StaticFiles: Sendable {
    private struct File: Sendable {
        let type: String
        let content: EncodedBody

        var tag: String { content.tag }
        var body: [UInt8] { content.identity }
    }

    /// The files by the path under which they are served.
    private var files: [String: File] = [:]
    /// A hash of all files.
    private var build = ""

    /// Reads the pages from `web`, and the charts' library from `library`.
    ///
    /// A library that is not installed is left out: the pages work without charts. Files in `maps` whose name ends in
    /// `.geojson` replace the maps that are shipped.
    public init(web: String, library: String?, maps: String? = nil) throws(SystemError) {
        var room = GatewayLimits.filesBytes
        try add(folder: web, at: "", &room)
        if let library {
            for name in ["dygraph.min.js", "dygraph.min.css"] where System.File.exists("\(library)/\(name)") {
                try add("\(library)/\(name)", at: "lib/dygraphs/\(name)", &room)
            }
        }
        if let maps, Directory.isDirectory(maps) { try add(maps: maps, &room) }
        files[Self.reference] = Self.file(Array(ReferencePage.document.utf8), at: Self.reference)
        nameBuild()
        let pages = PageIndex.document(
            shop: Self.shop.subtracting(NodeCaching.personal).map(String.init).sorted(), build: build,
            files: files.keys.sorted())
        files[Self.pageIndex] = Self.file(pages, at: Self.pageIndex)
    }

    private static let pageIndex = "furrow-pages.json"
    private static let reference = "docs.html"

    /// Writes the version of this release and a hash of all files into the pages and the service worker. A browser then
    /// loads and caches the files of one build together, and detects another build by the worker alone.
    private mutating func nameBuild() {
        let tags = files.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value.tag)\n" }.joined()
        build = Hex.encode(SHA256.hash(Array("\(Release.version)\n\(tags)".utf8)).prefix(BuildAddress.digits / 2))
        for (path, file) in files where path == "sw.js" || path.hasSuffix(".html") {
            var text = String(decoding: file.body, as: UTF8.self)
            if path == "sw.js" {
                text = text.replacing("BUILD", with: build)
            } else {
                text = text.replacing("FURROW-VERSION", with: Release.version)
                for folder in BuildAddress.folders {
                    text = text.replacing("\"/assets/\(folder)", with: "\"/assets/\(build)/\(folder)")
                }
            }
            files[path] = Self.file(Array(text.utf8), at: path)
        }
    }

    /// Adds the operator's own maps, and the list by which pages find them.
    private mutating func add(maps folder: String, _ room: inout Int) throws(SystemError) {
        let names = try Directory.list(folder).filter { $0.hasSuffix(".geojson") }.sorted().prefix(GatewayLimits.maps)
        for name in names { try add("\(folder)/\(name)", at: "maps/own/\(name)", &room) }
        var json = JSONWriter()
        json.object { $0.field("files", names.map { "own/\($0)" }) }
        files["maps/own.json"] = Self.file(json.bytes, at: "maps/own.json")
    }

    private mutating func add(folder: String, at path: String, _ room: inout Int) throws(SystemError) {
        for name in try Directory.list(folder) where !name.hasPrefix(".") {
            let inner = path.isEmpty ? name : "\(path)/\(name)"
            if Directory.isDirectory("\(folder)/\(name)") {
                try add(folder: "\(folder)/\(name)", at: inner, &room)
            } else if files.count < GatewayLimits.files {
                try add("\(folder)/\(name)", at: inner, &room)
            }
        }
    }

    private mutating func add(_ source: String, at path: String, _ room: inout Int) throws(SystemError) {
        let body = try System.File.read(source, limit: room)
        room -= body.count
        files[path] = Self.file(body, at: path)
    }

    private static func file(_ body: [UInt8], at path: String) -> File {
        let type = type(of: path)
        let isText = type.hasPrefix("text/") || type.hasSuffix("json") || type.hasSuffix("xml")
        return File(type: type, content: isText ? EncodedBody(body, effort: .once) : EncodedBody(uncompressed: body))
    }

    /// Reads the texts of messages in every language that has a catalogue. Throws if a catalogue is malformed.
    func messageTexts() throws(JSONError) -> [PageLanguage: MessageTexts] {
        var texts: [PageLanguage: MessageTexts] = [:]
        for language in PageLanguage.allCases {
            guard let file = files["languages/messages.\(language.rawValue).json"] else { continue }
            texts[language] = try MessageTexts(catalogue: file.body)
        }
        return texts
    }

    /// Returns the response to a request for a page or one of its files; nil for any other path.
    public func response(to request: HTTPRequest) -> HTTPResponse? {
        let (address, named) = BuildAddress.parsed(request.path)
        guard let path = Self.file(for: address) else { return missingPage(for: request) }
        var response: HTTPResponse
        if request.method != "GET" {
            response = HTTPResponse(Problem(405, "method", "This address takes GET, HEAD.")).with("Allow", "GET, HEAD")
        } else if let file = files[path] {
            response = self.response(file, to: request)
            // A page of another build gets the files of this one, which are not to be stored under its address.
            if named == build {
                response = response.with("Cache-Control", BuildAddress.caching)
                    .with(NodeCaching.header, NodeCaching.lasting)
            } else if named != nil {
                response = response.with("Cache-Control", "no-store").with(NodeCaching.header, "no-store")
            }
        } else {
            response = HTTPResponse(Problem(404, "not-found", "There is no such page."))
        }
        SecurityHeaders.add(to: &response, for: request)
        return response
    }

    /// Returns the "not found" page for a browser at an unknown address. Returns nil for programs and for paths under
    /// `/v1`, which get a problem instead.
    private func missingPage(for request: HTTPRequest) -> HTTPResponse? {
        guard request.method == "GET", request.headers["Accept"]?.contains("text/html") == true,
            request.path != "/v1", !request.path.hasPrefix("/v1/"), let page = files["not-found.html"],
            case .nothing = Router.find("GET", request.path)
        else { return nil }
        var response = HTTPResponse(status: 404, type: page.type, body: page.body).with("Cache-Control", "no-store")
        SecurityHeaders.add(to: &response, for: request)
        return response
    }

    private func response(_ file: File, to request: HTTPRequest) -> HTTPResponse {
        file.content.response(to: request, type: file.type)
            .with(NodeCaching.header, NodeCaching.value(forPage: request.path))
    }

    /// The buyers' pages by the first segment of their path.
    private static let shop: Set<Substring> = [
        "", "directory", "farms", "shop", "products", "cart", "checkout", "orders", "settings", "sign-in",
        "forgot", "reset", "promotions",
    ]

    /// Returns the file that a path shows. All buyers' pages share one shell, as do the staff's pages and the stories.
    static func file(for path: String) -> String? {
        if path == PageIndex.address { return pageIndex }
        let parts = path.split(separator: "/", omittingEmptySubsequences: false).dropFirst()
        guard let first = parts.first else { return nil }
        switch first {
        case _ where shop.contains(first): return "index.html"
        case "check-report": return parts.count == 1 ? "report.html" : nil
        case "setup": return parts.count == 1 ? "staff.html" : nil
        case Substring(ReferencePage.address): return parts.count == 1 ? reference : nil
        case "staff", "app": return "staff.html"
        case "sw.js", "manifest.webmanifest", "favicon.ico", "apple-touch-icon.png":
            return parts.count == 1 ? String(first) : nil
        case "assets": return parts.dropFirst().joined(separator: "/")
        case "01": return parts.count >= 4 ? "story.html" : nil
        default: return isSigned(first) && parts.dropFirst().first == "01" && parts.count >= 5 ? "story.html" : nil
        }
    }

    /// Returns whether a path begins with `S1`, the key's four letters and a signature. Labels are printed in upper
    /// case and read in either case. A truncated signature leads to the story's page, too, which then explains what is
    /// wrong with the label.
    private static func isSigned(_ stem: Substring) -> Bool {
        stem.utf8.count > 6 && stem.lowercased().hasPrefix("s1") && stem.allSatisfy { $0.isASCII && $0 != "." }
    }

    private static func type(of path: String) -> String {
        switch path.split(separator: ".").last {
        case "html": "text/html; charset=utf-8"
        case "js", "mjs": "text/javascript; charset=utf-8"
        case "css": "text/css; charset=utf-8"
        case "json", "geojson", "map": "application/json"
        case "webmanifest": "application/manifest+json"
        case "svg": "image/svg+xml"
        case "png": "image/png"
        case "ico": "image/x-icon"
        case "woff2": "font/woff2"
        case "txt": "text/plain; charset=utf-8"
        default: "application/octet-stream"
        }
    }
}
