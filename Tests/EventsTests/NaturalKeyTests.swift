import Events
import Testing
import Vocabulary
import Wire

@Suite("Event ids")
struct NaturalKeyTests {
    @Test func `an id derived from a natural key is the same on every machine`() throws {
        // RFC 9562, appendix A.4.
        let dns = try #require(UUID("6ba7b810-9dad-11d1-80b4-00c04fd430c8"))
        #expect(UUID.named("www.example.com", in: dns).description == "2ed6657d-e927-568b-95e1-2665a8aea6a2")
        #expect(UUID.named("a", in: .furrow) == UUID.named(Array("a".utf8), in: .furrow))
        #expect(UUID.named("a", in: .furrow) != UUID.named("b", in: .furrow))
    }

    @Test func `the id of a derived event depends on consumer, source and number`() {
        let source = UUID(bytes: [1])
        let ids = [
            UUID.derived(by: "a", from: source, 1), .derived(by: "a", from: source, 2),
            .derived(by: "b", from: source, 1),
            .derived(by: "a", from: UUID(bytes: [2]), 1),
        ]
        #expect(Set(ids).count == 4)
        #expect(UUID.derived(by: "a", from: source, 1) == ids[0])
    }
}
