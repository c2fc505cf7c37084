import JSON
import Testing

@testable import ProxyNode
@testable import Sharing

@Suite("The pages of a farm at a node")
struct FarmPagesTests {
    private func pages(_ text: String) throws(JSONError) -> FarmPages { try FarmPages(json: JSONValue.parse(text)) }

    private func shop() throws(JSONError) -> FarmPages {
        try pages(
            """
            {"build":"1","pages":[{"file":"/assets/index.html","paths":["/","/shop","/shop/**"]},
            {"file":"/assets/story.html","paths":["/01/*/*/**","/S1*/01/*/*/**"]}],"files":["/assets/a.js","//b","c"]}
            """)
    }

    @Test(arguments: [
        ("/", "/assets/index.html"), ("/shop", "/assets/index.html"), ("/shop/a/b", "/assets/index.html"),
        ("/shopping", nil), ("/sign-in", nil), ("/01/1/10/L", "/assets/story.html"), ("/01/1/10", nil), ("/01/1", nil),
        ("/S1ABCD/01/1/10/L/21/S", "/assets/story.html"), ("/s1abcd/01/1/10/l", "/assets/story.html"),
        ("/S2ABCD/01/1/10/L", nil), ("//", nil), ("", nil),
    ])
    func `an address shows the file of its pattern`(path: String, file: String?) throws {
        #expect(try shop().file(for: path) == file)
    }

    @Test func `only addresses of the farm itself are files`() throws {
        #expect(try shop().files == ["/assets/a.js"])
        let foreign = try pages(#"{"pages":[{"file":"//other/x","paths":["/**"]}],"files":[]}"#)
        #expect(foreign.file(for: "/a") == nil)
    }

    @Test func `a list that is none is refused`() {
        #expect(throws: JSONError.self) { try pages("{}") }
        #expect(throws: JSONError.self) { try pages(#"{"pages":[1],"files":[]}"#) }
    }
}
