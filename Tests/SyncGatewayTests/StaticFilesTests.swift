import Foundation
import HTTP
import Telemetry
import TestKit
import Testing

@testable import SyncGateway

@Suite("Static files")
struct StaticFilesTests {
    private func shelf(in folder: String) throws -> StaticFiles {
        try FileManager.default.createDirectory(
            atPath: "\(folder)/web/js/story", withIntermediateDirectories: true)
        try FileManager.default.createDirectory(atPath: "\(folder)/lib", withIntermediateDirectories: true)
        for (name, text) in [
            "web/index.html": "<shop>", "web/staff.html": "<app>", "web/story.html": "<story>", "web/sw.js": "sw",
            "web/not-found.html": "<h1>Page not found</h1>",
            "web/js/story/a.js": "a",
            "web/manifest.webmanifest": "{}", "web/.hidden": "no", "lib/dygraph.min.js": "graph",
        ] {
            try Data(text.utf8).write(to: URL(fileURLWithPath: "\(folder)/\(name)"))
        }
        return try StaticFiles(web: "\(folder)/web", library: "\(folder)/lib")
    }

    private func get(_ shelf: StaticFiles, _ path: String, _ headers: HTTPHeaders = [:]) -> HTTPResponse? {
        shelf.response(to: HTTPRequest(method: "GET", target: path, path: path, headers: headers))
    }

    @Test func `each page's path serves the shell of its area, and the assets serve their files`() throws {
        try withTemporaryDirectory { folder in
            let shelf = try shelf(in: folder)
            let signed = "/S1AB2C" + String(repeating: "Q", count: 103) + "/01/09520123456788/10/L1/21/X"
            let shown = [
                "/": "<shop>", "/directory/county/Greene": "<shop>", "/farms/loma": "<shop>", "/cart": "<shop>",
                "/staff": "<app>", "/app": "<app>", "/app/lots/L1": "<app>", "/setup": "<app>", "/sw.js": "sw",
                "/manifest.webmanifest": "{}", "/assets/js/story/a.js": "a",
                "/assets/lib/dygraphs/dygraph.min.js": "graph", signed: "<story>", signed.lowercased(): "<story>",
                "/01/09520123456788/10/L1": "<story>",
                "/S1AB2CCUT/01/09520123456788/10/L1": "<story>",
            ]
            for (path, text) in shown { #expect(get(shelf, path)?.text == text, "\(path)") }
            for path in ["/assets/.hidden", "/assets/nothing.js", "/assets/../web/sw.js", "/assets/"] {
                #expect(get(shelf, path)?.status == 404, "\(path)")
            }
            for path in ["/v1/lots", "/ledger/keys", "/openapi.json", "/x", "/index.html", "/setup/x", "/S1short/01/1"]
            {
                #expect(get(shelf, path) == nil, "\(path)")
            }
        }
    }

    @Test func `an unknown path serves a page to browsers and a problem to programs`() throws {
        try withTemporaryDirectory { folder in
            let shelf = try shelf(in: folder)
            let browser: HTTPHeaders = ["Accept": "text/html,application/xhtml+xml,*/*;q=0.8"]
            for path in ["/nothing-here", "/index.html", "/setup/x", "/wp-login.php", "/v2/x"] {
                let page = try #require(get(shelf, path, browser), "\(path)")
                #expect(page.status == 404 && page.text.contains("Page not found"), "\(path)")
                #expect(page.headers["Content-Type"] == "text/html; charset=utf-8")
                #expect(page.headers["Permissions-Policy"]?.contains("camera=(self)") == true)
                #expect(get(shelf, path, ["Accept": "application/json"]) == nil, "\(path)")
            }
            for path in ["/v1", "/v1/nothing", "/v1/lots", "/openapi.json", "/ledger/keys"] {
                #expect(get(shelf, path, browser) == nil, "\(path)")
            }
        }
    }

    @Test func `nodes may store the pages for visitors, and none that asks for a password or an order`() throws {
        try withTemporaryDirectory { folder in
            let shelf = try shelf(in: folder)
            for path in ["/", "/shop", "/cart", "/assets/js/story/a.js", "/01/09520123456788/10/L1", "/sw.js"] {
                #expect(get(shelf, path)?.headers["Furrow-Cache-Control"] == NodeCaching.value, "\(path)")
            }
            for path in ["/staff", "/app/x", "/setup", "/sign-in", "/forgot", "/reset", "/checkout", "/settings"] {
                #expect(get(shelf, path)?.headers["Furrow-Cache-Control"] == "private", "\(path)")
            }
        }
    }

    @Test func `pages load scripts and styles by addresses of their build, which never change`() throws {
        try withTemporaryDirectory { folder in
            _ = try shelf(in: folder)
            let page = #"<link href="/assets/css/a.css"><script src="/assets/js/story/a.js"><img src="/assets/i">"#
            try Data(page.utf8).write(to: URL(fileURLWithPath: "\(folder)/web/index.html"))
            let shelf = try StaticFiles(web: "\(folder)/web", library: nil)
            let shown = try #require(get(shelf, "/")).text
            let build = try #require(shown.split(separator: "/").first { $0.utf8.count == BuildAddress.digits })
            #expect(shown == page.replacing("/css", with: "/\(build)/css").replacing("/js", with: "/\(build)/js"))
            let script = try #require(get(shelf, "/assets/\(build)/js/story/a.js"))
            #expect(script.text == "a" && script.headers["Cache-Control"] == BuildAddress.caching)
            #expect(script.headers["Furrow-Cache-Control"] == NodeCaching.lasting)
            let tag = try #require(script.headers["ETag"])
            let again = try #require(get(shelf, "/assets/\(build)/js/story/a.js", ["If-None-Match": tag]))
            #expect(again.status == 304 && again.headers["Cache-Control"] == BuildAddress.caching)
            // Another build's page gets today's file, which neither a browser nor a node stores under that name.
            let old = String(repeating: "0", count: BuildAddress.digits)
            let file = try #require(get(shelf, "/assets/\(old)/js/story/a.js"))
            #expect(file.text == "a" && file.headers["Cache-Control"] == "no-store")
            #expect(file.headers["Furrow-Cache-Control"] == "no-store")
            let plain = try #require(get(shelf, "/assets/js/story/a.js"))
            #expect(plain.text == "a" && plain.headers["Cache-Control"] == "no-cache")
            for path in ["\(build)/index.html", "\(build)/js", "\(build.dropLast())/js/story/a.js"] {
                #expect(get(shelf, "/assets/\(path)")?.status == 404, "\(path)")
            }
        }
    }

    @Test func `the list of pages names the buyers' files, and another build with every file`() throws {
        try withTemporaryDirectory { folder in
            try FileManager.default.createDirectory(
                atPath: "\(folder)/web/js/staff", withIntermediateDirectories: true)
            try Data("s".utf8).write(to: URL(fileURLWithPath: "\(folder)/web/js/staff/s.js"))
            let first = try #require(get(try shelf(in: folder), PageIndex.address)).text
            #expect(first.contains(#""file":"/assets/index.html","paths":["/","/cart","/cart/**","/directory""#))
            #expect(first.contains(#""/01/*/*/**""#) && first.contains(#"/js/story/a.js""#))
            for hidden in ["sign-in", "checkout", "settings", "js/staff", "staff.html"] {
                #expect(!first.contains(hidden), "\(hidden)")
            }
            try Data("t".utf8).write(to: URL(fileURLWithPath: "\(folder)/web/js/staff/s.js"))
            let second = try #require(
                get(try StaticFiles(web: "\(folder)/web", library: "\(folder)/lib"), PageIndex.address)
            ).text
            #expect(first != second)
        }
    }

    @Test func `the operator's maps replace those that are shipped`() throws {
        try withTemporaryDirectory { folder in
            let maps = "\(folder)/maps"
            try FileManager.default.createDirectory(atPath: maps, withIntermediateDirectories: true)
            for (name, text) in ["upper-austria.geojson": "{}", "notes.txt": "no"] {
                try Data(text.utf8).write(to: URL(fileURLWithPath: "\(maps)/\(name)"))
            }
            _ = try shelf(in: folder)
            let shelf = try StaticFiles(web: "\(folder)/web", library: nil, maps: maps)
            #expect(get(shelf, "/assets/maps/own.json")?.text == #"{"files":["own/upper-austria.geojson"]}"#)
            let map = try #require(get(shelf, "/assets/maps/own/upper-austria.geojson"))
            #expect(map.text == "{}" && map.headers["Content-Type"] == "application/json")
            #expect(get(shelf, "/assets/maps/own/notes.txt")?.status == 404)
            let without = try StaticFiles(web: "\(folder)/web", library: nil, maps: "\(folder)/none")
            #expect(get(without, "/assets/maps/own.json")?.status == 404, "the shipped list stays as it is")
        }
    }

    @Test func `every page shows the version of this build`() throws {
        try withTemporaryDirectory { folder in
            _ = try shelf(in: folder)
            for page in ["index", "staff", "story", "not-found"] {
                try Data("<p>Furrow FURROW-VERSION</p>".utf8)
                    .write(to: URL(fileURLWithPath: "\(folder)/web/\(page).html"))
            }
            let shelf = try StaticFiles(web: "\(folder)/web", library: nil)
            for path in ["/", "/staff", "/01/09520123456788/10/L1", "/nothing-here"] {
                let page = try #require(get(shelf, path, ["Accept": "text/html"]))
                #expect(page.text == "<p>Furrow \(Release.version)</p>", "\(path)")
            }
        }
    }

    @Test func `the shipped pages have a placeholder for the version`() throws {
        let web = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .appending(path: "../../Services/SyncGateway/Web")
        for page in ["index", "staff", "story", "not-found"] {
            let text = try String(contentsOf: web.appending(path: "\(page).html"), encoding: .utf8)
            #expect(text.contains("Furrow FURROW-VERSION"), "\(page)")
        }
    }

    @Test func `the service worker contains the build's hash, which changes with every file`() throws {
        try withTemporaryDirectory { folder in
            func worker(_ shelf: StaticFiles) throws -> (text: String, tag: String) {
                let response = try #require(get(shelf, "/sw.js"))
                return (response.text, try #require(response.headers["ETag"]))
            }
            _ = try shelf(in: folder)
            try Data("const shell = \"furrow-BUILD\";".utf8).write(to: URL(fileURLWithPath: "\(folder)/web/sw.js"))
            let first = try worker(StaticFiles(web: "\(folder)/web", library: nil))
            #expect(first.text.wholeMatch(of: /const shell = "furrow-[0-9a-f]{32}";/) != nil)
            #expect(try worker(StaticFiles(web: "\(folder)/web", library: nil)).text == first.text)
            try Data("b".utf8).write(to: URL(fileURLWithPath: "\(folder)/web/js/story/a.js"))
            let second = try worker(StaticFiles(web: "\(folder)/web", library: nil))
            #expect(second.text != first.text && second.tag != first.tag)
        }
    }

    @Test func `a browser that has a file gets 304 until the file changes`() throws {
        try withTemporaryDirectory { folder in
            let shelf = try shelf(in: folder)
            let first = try #require(get(shelf, "/"))
            #expect(first.headers["Content-Type"] == "text/html; charset=utf-8")
            #expect(first.headers["Cache-Control"] == "no-cache")
            #expect(first.headers["Content-Security-Policy"]?.hasPrefix("default-src 'self'") == true)
            let tag = try #require(first.headers["ETag"])
            for known in [tag, "W/\(tag)", "\"x\", \(tag)", "*"] {
                let again = try #require(get(shelf, "/", ["If-None-Match": known]))
                #expect(again.status == 304 && again.body.isEmpty && again.headers["ETag"] == tag)
            }
            #expect(get(shelf, "/", ["If-None-Match": "\"x\""])?.status == 200)
            let posted = shelf.response(to: HTTPRequest(method: "POST", target: "/", path: "/"))
            #expect(posted?.status == 405 && posted?.headers["Allow"] == "GET, HEAD")
        }
    }
}
