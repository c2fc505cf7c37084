import JSON

/// What nodes need to serve pages that were never requested from them (`/.well-known/furrow-pages`): which addresses
/// show which file, and the files of these pages.
enum PageIndex {
    static let address = "/.well-known/furrow-pages"

    /// Returns the index of the pages as JSON.
    ///
    /// - Parameters:
    ///   - shop: the first segments of the addresses of the buyers' pages that are for every visitor.
    ///   - build: changes with every file, so that a node notices a new build.
    ///   - files: the paths of all files below `/assets`; scripts and styles are listed by their `BuildAddress`.
    static func document(shop: [String], build: String, files: [String]) -> [UInt8] {
        var json = JSONWriter()
        json.object { json in
            json.field("build", build)
            json.field(
                "pages",
                array: { json in
                    page("index.html", shop.flatMap { $0.isEmpty ? ["/"] : ["/\($0)", "/\($0)/**"] }, &json)
                    page("story.html", ["/01/*/*/**", "/S1*/01/*/*/**"], &json)
                })
            // The staff sign in, so a node has none of their pages. Nor has it the reference, which is large.
            let shown = files.filter {
                !$0.hasPrefix("js/staff/") && !["sw.js", "staff.html", "docs.html", "css/reference.css"].contains($0)
            }
            json.field("files", shown.map { address(of: $0, build) } + ["/sw.js", "/v1/sync", "/ledger/keys"])
        }
        return json.bytes
    }

    private static func address(of file: String, _ build: String) -> String {
        BuildAddress.folders.contains(where: file.hasPrefix) ? "/assets/\(build)/\(file)" : "/assets/\(file)"
    }

    private static func page(_ file: String, _ paths: [String], _ json: inout JSONWriter) {
        json.element(object: { json in
            json.field("file", "/assets/\(file)")
            json.field("paths", paths)
        })
    }
}
