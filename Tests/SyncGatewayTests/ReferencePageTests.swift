import Declarations
import Testing

@testable import SyncGateway

@Suite("The reference for programmers")
struct ReferencePageTests {
    @Test func `text is escaped, and a part between backticks is code`() {
        var html = HTMLText()
        html.element("p", ["title": "a \"b\""], "1 < 2 & `x<y>`")
        #expect(html.text == "<p title=\"a &quot;b&quot;\">1 &lt; 2 &amp; <code>x&lt;y&gt;</code></p>")
    }

    @Test func `a shape is described in words, with the members of its objects`() {
        let shape: Shape = [
            "price": .money(0...100), "lots?": .few(.object(["lot": .name]), 1...3), "at": .orNull(.time),
        ]
        let members = shape.described
        #expect(members.map(\.shape) == ["amount of money", "list of 1 to 3; each one: object", "time, or `null`"])
        #expect(members.map(\.isRequired) == [true, false, true])
        #expect(members.map { $0.members.map(\.name) } == [[], ["lot"], []])
    }

    @Test func `each member of a body and each field of an event is on the page`() {
        let page = ReferencePage.document
        var looked = 0
        for case .json(let shape) in Routes.all.map(\.takes) {
            for member in shape.described {
                #expect(page.contains("<code>\(member.name)</code>"))
                if let meaning = member.documentation?.split(separator: "`").first {
                    var html = HTMLText()
                    html.prose(String(meaning))
                    #expect(page.contains(html.text), "\(meaning)")
                    looked += 1
                }
            }
        }
        for event in Family.all.flatMap(\.events) {
            for field in event.fields {
                #expect(page.contains("<dt><code>\(field.name)</code>"))
                looked += 1
            }
        }
        print("reference: \(looked) members and fields, \(page.utf8.count) bytes")
        #expect(looked > 500)
    }
}
