import JSON
import Testing

@Suite("Members of a JSON object")
struct JSONMembersTests {
    @Test func `are found in any order, over and over`() throws {
        let json = try JSONValue.parse(#"{"a":1,"b":{"a":2},"c":[3,4],"d":null,"e":"x"}"#)
        for order in [["a", "b", "c", "e"], ["e", "c", "b", "a"], ["c", "c", "a", "e", "b"]] {
            var members = try JSONMembers(of: json)
            for key in order {
                #expect(members.next(key)?.kind == json[key]?.kind)
                #expect(members.next("absent") == nil)
            }
            #expect(try members.get("a", as: Int.self) == 1)
            #expect(try members.find("d", as: Int.self) == nil)
            #expect(try members.find("f", as: Int.self) == nil)
            #expect(throws: JSONError(message: "is missing", path: "f")) { try members.get("f", as: Int.self) }
            #expect(throws: JSONError(message: "expected a whole number", path: "e")) {
                try members.get("e", as: Int.self)
            }
        }
    }

    @Test func `are of objects only, an empty one included`() throws {
        #expect(throws: JSONError.self) { try JSONMembers(of: JSONValue.parse("[1]")) }
        var none = try JSONMembers(of: JSONValue.parse("{}"))
        #expect(none.next("a") == nil)
    }

    @Test func `lend their text without making a string of it`() throws {
        let json = try JSONValue.parse(#"{"s":"gr\u00fcn","n":1}"#)
        let count = try json.get("s", as: JSONValue.self).text("expected text") { $0.count }
        #expect(count == 5)
        #expect(throws: JSONError(message: "expected a colour", path: "s")) {
            try json.get("s", as: JSONValue.self).text("expected a colour") { _ in Int?.none }
        }
        #expect(throws: JSONError(message: "expected a string", path: "n")) {
            try json.get("n", as: JSONValue.self).text("expected a colour") { $0.count }
        }
    }
}
