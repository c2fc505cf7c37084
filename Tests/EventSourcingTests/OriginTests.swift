import EventSourcing
import JSON
import Testing

@Suite("An origin")
struct OriginTests {
    @Test(arguments: [
        ("sensor-ingest/farm-0", "sensor-ingest", "farm", 0),
        ("trace-ledger/north-field-12", "trace-ledger", "north-field", 12),
    ])
    func `is a service, a site and a slot`(text: String, service: String, site: String, slot: Int) {
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
    func `with another spelling is none`(text: String) {
        #expect(Origin(text) == nil)
    }

    @Test func `is ordered by service, site and slot`() {
        let origins = ["a/x-2", "a/x-10", "b/a-0", "a/y-0"].compactMap(Origin.init)
        #expect(origins.sorted().map(\.description) == ["a/x-2", "a/x-10", "a/y-0", "b/a-0"])
    }

    @Test func `has an epoch of 16 hexadecimal digits`() {
        #expect(Epoch(255).description == "00000000000000ff")
        #expect(Epoch("00000000000000ff") == Epoch(255))
        #expect(Epoch("ffffffffffffffff") == Epoch(.max))
        for text in ["", "ff", "+0000000000000ff", "00000000000000fg", "00000000000000ff0"] {
            #expect(Epoch(text) == nil)
        }
    }

    @Test(arguments: ["person/p1", "node/ble:c50dfa99cb9e", "service/trace-ledger"])
    func `names actors by their kind`(text: String) throws {
        #expect(try Actor(json: JSONValue.parse("\"\(text)\"")).description == text)
    }

    @Test(arguments: ["", "p1", "person/", "someone/p1", "Person/p1"])
    func `knows no other kind of actor`(text: String) {
        #expect(throws: JSONError.self) { try Actor(json: JSONValue.parse("\"\(text)\"")) }
    }
}
