import EventSourcing
import Events
import JSON
import TestKit
import Testing
import Vocabulary
import Wire

@Suite("Published events")
struct GoldenTests {
    @Test func `every event has an example and a golden file`() {
        let examples = Set(Examples.all.map { type(of: $0).name })
        for name in RecordedEvent.names {
            #expect(examples.contains(name), "\(name) has no example in Examples.swift")
            #expect(Golden.bytes(of: name) != nil, "\(name) has no golden file Tests/Fixtures/Events/\(name).json")
        }
        #expect(Set(RecordedEvent.names).count == RecordedEvent.names.count, "two events share a wire name")
        #expect(examples.isSubset(of: RecordedEvent.names))
        #expect(RecordedEvent.names.count >= 28)
    }

    @Test func `every golden file is read as its example and written as the same bytes`() throws {
        var checked = 0
        for example in Examples.all {
            let name = type(of: example).name
            let written = EnvelopeCodec.write(Examples.envelope(of: example), example)
            let golden = try #require(
                Golden.bytes(of: name),
                "\(name) has no golden file; its example is \(String(decoding: written, as: UTF8.self))")
            let told = try RecordedEvent(reading: golden)
            #expect(spelled(told.fact.event) == spelled(example))
            #expect(told.envelope == Examples.envelope(of: example))
            let isSame = EnvelopeCodec.write(told.envelope, told.fact.event) == golden
            #expect(isSame, "\(name) is written differently now")
            let isExample = written == golden
            #expect(isExample, "\(name): the example was changed, or what it is written as")
            checked += 1
        }
        print("events: \(checked) golden files read and written to the byte")
        #expect(checked == RecordedEvent.names.count)
    }

    @Test func `no golden file is ever changed or removed`() throws {
        let hashes = try Golden.hashes()
        let files = try Golden.files().filter { $0 != Golden.sums }
        #expect(Set(files) == Set(hashes.keys), "\(Golden.sums) does not list exactly the golden files")
        #expect(Set(files).isSuperset(of: RecordedEvent.names.map { $0 + ".json" }))
        for (file, hash) in hashes {
            let bytes = try #require(Golden.bytes(of: String(file.dropLast(5))))
            // The chain's hash after an empty one is the SHA-256 of the bytes alone.
            #expect(Hex.encode(Chain.next(after: [], bytes)) == hash, "\(file) was edited; a new meaning is a new name")
        }
    }

    @Test func `every event is read without its optional fields`() throws {
        for event in Examples.bare {
            let envelope = Examples.envelope(of: event)
            let told = try RecordedEvent(reading: EnvelopeCodec.write(envelope, event))
            #expect(spelled(told.fact.event) == spelled(event))
            #expect(told.envelope == envelope)
        }
    }

    @Test func `an event's name has its family, its type in lower case and its version`() {
        for name in RecordedEvent.names {
            let parts = name.split(separator: ".")
            #expect(parts.count == 5 && parts[0] == "farm" && parts[1] == "furrow", "\(name)")
            #expect(parts[3].allSatisfy { $0.isLowercase || $0 == "-" }, "\(name)")
            #expect(parts[4].first == "v" && Int(parts[4].dropFirst()) != nil, "\(name)")
        }
    }

    @Test func `an event of another name or version is refused with a message`() throws {
        let golden = try #require(Golden.bytes(of: Harvested.name))
        let text = String(decoding: golden, as: UTF8.self)
        for name in ["farm.furrow.trace.harvested.v2", "farm.furrow.trace.reaped.v1", "com.example.harvested.v1", ""] {
            let bytes = Array(text.replacing(Harvested.name, with: name).utf8)
            let error = #expect(throws: JSONError.self) { try RecordedEvent(reading: bytes) }
            #expect(error?.description == "\(name) is not known to this version of Furrow at type")
        }
        let other = Array(text.replacing("\"specversion\":\"1.0\"", with: "\"specversion\":\"2.0\"").utf8)
        let error = #expect(throws: JSONError.self) { try RecordedEvent(reading: other) }
        #expect(error?.description == "expected CloudEvents 1.0 at specversion")
    }

    @Test func `an event with a missing field or one of another type is refused with the field's path`() throws {
        let text = String(decoding: try #require(Golden.bytes(of: Harvested.name)), as: UTF8.self)
        for (from, to, path) in [
            ("\"grams\":120000", "\"grams\":\"120000\"", "grams"), ("\"grams\":120000,", "", "grams"),
            ("\"gtin\":\"09520123456788\"", "\"gtin\":\"09520123456789\"", "gtin"),
            ("\"from\":\"2026", "\"from\":\"2026x", "from"),
        ] {
            #expect(text.contains(from))
            let error = #expect(throws: JSONError.self) {
                try RecordedEvent(reading: Array(text.replacing(from, with: to).utf8))
            }
            #expect(error?.path.contains(path) == true, "\(to): \(String(describing: error))")
        }
    }

    @Test func `a reading with another unit than its quantity's is refused`() throws {
        let text = String(decoding: try #require(Golden.bytes(of: Measured.name)), as: UTF8.self)
        #expect(text.contains("\"unit\":\"Cel\""))
        let wrong = Array(text.replacing("\"unit\":\"Cel\"", with: "\"unit\":\"degF\"").utf8)
        let error = #expect(throws: JSONError.self) { try RecordedEvent(reading: wrong) }
        #expect(error?.message == "expected the unit Cel")
        #expect(error?.path.contains("readings") == true)
    }
}
