import Foundation
import Testing

/// The modules of the web pages and their folders: `shop`, `staff` and `story`, the code they share, the reader
/// of codes, and the verifier.
@Suite("Modules of the web pages")
struct WebModuleTests {
    private let modules: WebModules

    init() throws { modules = WebModules(try Repository.here.get().files) }

    @Test func `a page imports its own folder and shared code only`() {
        let bad = WebModules([
            SourceFile(path: "\(WebModules.root)shop/a.js", text: "import { b } from \"../staff/b.js\";\n"),
            SourceFile(path: "\(WebModules.root)story/a.js", text: "const a = await import(\"../shop/b.js\");\n"),
            SourceFile(path: "\(WebModules.root)common/a.js", text: "import { b } from \"../shop/b.js\";\n"),
            SourceFile(path: "\(WebModules.root)verify/a.js", text: "import {\n    b,\n} from \"../common/b.js\";\n"),
            SourceFile(path: "\(WebModules.root)staff/a.js", text: "/** @type {import(\"../shop/b.js\").B} */\n"),
            SourceFile(path: "\(WebModules.root)other/a.js", text: ""),
        ])
        #expect(
            bad.wrongImports == [
                "common/a.js imports shop/b.js", "other/a.js is in no folder of the pages",
                "shop/a.js imports staff/b.js", "staff/a.js imports shop/b.js",
                "story/a.js imports shop/b.js", "verify/a.js imports common/b.js",
            ])
        #expect(modules.imports.count >= 100)
        #expect(modules.imports.values.reduce(0) { $0 + $1.count } >= 500)
        #expect(modules.wrongImports == [])
    }

    @Test func `each shared module is used by at least two pages`() {
        let bad = WebModules([
            SourceFile(path: "\(WebModules.root)shop/a.js", text: "import { b } from \"../common/b.js\";\n"),
            SourceFile(path: "\(WebModules.root)common/b.js", text: "import { c } from \"./c.js\";\n"),
            SourceFile(path: "\(WebModules.root)common/c.js", text: ""),
            SourceFile(path: "\(WebModules.root)staff/a.js", text: "import { c } from \"../common/c.js\";\n"),
        ])
        #expect(bad.sharedByTooFew == ["common/b.js is used by shop only"])
        #expect(modules.imports.keys.count { $0.hasPrefix("common/") } >= 15)
        #expect(modules.sharedByTooFew == [])
    }
}

/// What the modules below `Web/js` import, by their paths below that folder.
struct WebModules: Sendable {
    static let root = "Services/SyncGateway/Web/js/"

    /// The folders that the modules of each folder may import beside their own.
    private static let allowed: [String: Set<String>] = [
        "shop": ["common", "scan"], "staff": ["common", "scan", "story", "verify"], "story": ["common", "verify"],
        "scan": ["common", "verify"], "common": [], "verify": [],
    ]

    /// The imported modules of each module, types in comments included.
    let imports: [String: Set<String>]

    init(_ files: [SourceFile]) {
        var imports: [String: Set<String>] = [:]
        for file in files where file.path.hasPrefix(Self.root) && file.path.hasSuffix(".js") {
            let path = String(file.path.dropFirst(Self.root.count))
            let folder = path.split(separator: "/").dropLast()
            imports[path] = Set(
                file.text.matches(of: #/(?:from |import\()"(\.[^"]+\.js)"/#).map { Self.resolve($0.1, in: folder) })
        }
        self.imports = imports
    }

    /// The path below `Web/js` that a relative path in a module of `folder` names.
    private static func resolve(_ relative: Substring, in folder: ArraySlice<Substring>) -> String {
        var parts = Array(folder)
        for part in relative.split(separator: "/") where part != "." {
            if part == ".." { _ = parts.popLast() } else { parts.append(part) }
        }
        return parts.joined(separator: "/")
    }

    private static func folder(of path: String) -> String { String(path.prefix { $0 != "/" }) }

    /// Imports that cross from one page to another, or from shared code to a page.
    var wrongImports: [String] {
        imports.flatMap { path, imported in
            let own = Self.folder(of: path)
            guard let allowed = Self.allowed[own] else { return ["\(path) is in no folder of the pages"] }
            return imported.filter { Self.folder(of: $0) != own && !allowed.contains(Self.folder(of: $0)) }
                .map { "\(path) imports \($0)" }
        }.sorted()
    }

    /// Modules of `common` that fewer than two pages import, directly or through other modules of `common`.
    var sharedByTooFew: [String] {
        var users: [String: Set<String>] = [:]
        for page in ["shop", "staff", "story"] {
            var waiting = imports.filter { Self.folder(of: $0.key) == page }.flatMap(\.value)
            while let path = waiting.popLast() {
                guard users[path, default: []].insert(page).inserted else { continue }
                waiting += imports[path] ?? []
            }
        }
        return imports.keys.filter { Self.folder(of: $0) == "common" && users[$0, default: []].count < 2 }
            .map { "\($0) is used by \((users[$0] ?? []).sorted().first ?? "no page") only" }.sorted()
    }
}
