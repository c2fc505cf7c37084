import EventSourcing
import JSON
import Testing

@Suite("Origins, epochs and actors")
struct OriginTests {
    @Test(arguments: [
        ("sensor-ingest/farm-0", "sensor-ingest", "farm", 0),
        ("trace-ledger/north-field-12", "trace-ledger", "north-field", 12),
    ])
    func `an origin is written as service, site and slot`(text: String, service: String, site: String, slot: Int) {
        let origin = Origin(service: service, site: site, slot: slot)
        #expect(Origin(text) == origin)
        #expect(origin.description == text)
    }

    @Test(arguments: [
        "", "sensor-ingest", "/farm-0", "/a/b-0", "sensor-ingest/", "sensor-ingest/farm", "sensor-ingest/-0",
        "sensor-ingest/farm-", "//farm-0",
        "sensor-ingest/farm--1x", "sensor-ingest/farm-+1", "sensor-ingest/farm-01", "sensor-ingest/farm-0/x",
        "sensor-ingest/farm-99999999999999999999",
    ])
    func `a text in another form is not an origin`(text: String) {
        #expect(Origin(text) == nil)
    }

    @Test func `origins are ordered by service, site and slot`() {
        let origins = ["a/x-2", "a/x-10", "b/a-0", "a/y-0"].compactMap(Origin.init)
        #expect(origins.sorted().map(\.description) == ["a/x-2", "a/x-10", "a/y-0", "b/a-0"])
    }

    @Test func `an epoch is written as 16 hexadecimal digits`() {
        #expect(Epoch(255).description == "00000000000000ff")
        #expect(Epoch("00000000000000ff") == Epoch(255))
        #expect(Epoch("ffffffffffffffff") == Epoch(.max))
        for text in ["", "ff", "+0000000000000ff", "00000000000000fg", "00000000000000ff0"] {
            #expect(Epoch(text) == nil)
        }
    }

    @Test(arguments: ["person/p1", "node/ble:c50dfa99cb9e", "service/trace-ledger"])
    func `an actor is written as its kind and its id`(text: String) throws {
        #expect(try Actor(json: JSONValue.parse("\"\(text)\"")).description == text)
    }

    @Test(arguments: ["", "p1", "person/", "someone/p1", "Person/p1"])
    func `an actor of an unknown kind is refused`(text: String) {
        #expect(throws: JSONError.self) { try Actor(json: JSONValue.parse("\"\(text)\"")) }
    }
}
