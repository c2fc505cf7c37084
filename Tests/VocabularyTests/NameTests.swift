import JSON
import Testing
import Vocabulary

@Suite("Identifiers")
struct NameTests {
    @Test(arguments: ["plot/p1", "store/cold-room_2", "plot/0123456789012345678901234567890123456789"])
    func `a place is written and read`(text: String) {
        #expect(Place(text)?.description == text)
    }

    @Test(arguments: [
        "", "/", "plot", "plot/", "/p1", "barn/p1", "Plot/p1", "plot/p1/", "plot/p1/x", "plot/p|1", "plot/p 1",
        "plot/ä", "plot//p1", "store/01234567890123456789012345678901234567890",
    ])
    func `a place with characters that are unsafe in keys is refused`(text: String) {
        #expect(Place(text) == nil)
    }

    @Test func `a text is cut to bytes without dividing a character's code`() {
        #expect("grün".prefix(bytes: 5) == "grün")
        #expect("grün".prefix(bytes: 4) == "grü")
        #expect("grün".prefix(bytes: 3) == "gr")
        #expect("😀".prefix(bytes: 3) == "")
        #expect(("e" + String(repeating: "\u{301}", count: 9)).prefix(bytes: 5).utf8.count == 5)
    }

    @Test func `an identifier from external input has 1 to 200 bytes`() throws {
        func read(_ count: Int) throws -> LotID {
            try LotID(json: JSONValue.parse("\"\(String(repeating: "x", count: count))\""))
        }
        #expect(try read(1).rawValue == "x")
        #expect(try read(200).rawValue.utf8.count == 200)
        #expect(throws: JSONError.self) { try read(0) }
        #expect(throws: JSONError.self) { try read(201) }
        #expect(throws: JSONError.self) { try LotID(json: JSONValue.parse("7")) }
    }

    @Test func `identifiers are ordered by their bytes`() {
        #expect(LotID("A") < LotID("B"))
        #expect(LotID("B") < LotID("a"))
        #expect(Set([LotID("A"), LotID("A")]).count == 1)
    }
}
