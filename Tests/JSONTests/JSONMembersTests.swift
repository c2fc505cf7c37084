import JSON
import Testing

@Suite("Member look-up in JSON objects")
struct JSONMembersTests {
    @Test func `members are found in any order, repeatedly`() throws {
        let json = try JSONValue.parse(#"{"a":1,"b":{"a":2},"c":[3,4],"d":null,"e":"x"}"#)
        for order in [["a", "b", "c", "e"], ["e", "c", "b", "a"], ["c", "c", "a", "e", "b"]] {
            var members = try JSONMembers(of: json)
            for key in order {
                let (found, absent) = (members.next(key), members.next("absent"))
                #expect(found?.kind == json[key]?.kind)
                #expect(absent == nil)
            }
            let a: Int = try members.get("a")
            let d: Int? = try members.find("d")
            let f: Int? = try members.find("f")
            #expect(a == 1 && d == nil && f == nil)
            #expect(failure(of: "f", in: json) == JSONError(message: "is missing", path: "f"))
            #expect(failure(of: "e", in: json) == JSONError(message: "expected a whole number", path: "e"))
        }
    }

    @Test func `members exist in objects only, and an empty object has none`() throws {
        #expect(failure(of: "a", in: try JSONValue.parse("[1]")) == JSONError(message: "expected an object"))
        #expect(
            failure(of: "a", in: try JSONValue.parse("{}")) == JSONError(message: "is missing", path: "a"))
    }

    /// Returns the error of reading a number; nil if it succeeds.
    private func failure(of key: StaticString, in json: JSONValue) -> JSONError? {
        do throws(JSONError) {
            var members = try JSONMembers(of: json)
            _ = try members.get(key, as: Int.self)
            return nil
        } catch { return error }
    }

    @Test func `keys of every length are distinguished`() throws {
        let letters = "abcdefghijklmnopqrstuvwxyz"
        for length in 0...letters.count {
            let key = String(letters.prefix(length))
            for place in 0..<length {
                var other = Array(key.utf8)
                other[place] = UInt8(ascii: "-")
                let json = try JSONValue.parse("{\"\(String(decoding: other, as: UTF8.self))\":1,\"\(key)\":2}")
                var members = try JSONMembers(of: json)
                let found: Int? = try members.next(key)?.read()
                let alike: Int = try json.get(key)
                #expect(found == 2 && alike == 2, "\(key) with another letter at \(place)")
            }
        }
    }

    @Test func `a member's text can be read without creating a string`() throws {
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
