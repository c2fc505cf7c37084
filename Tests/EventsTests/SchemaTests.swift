import Declarations
import EventSourcing
import Foundation
import JSON
import TestKit
import Testing
import Vocabulary
import Wire

@testable import Events

@Suite("Declarations")
struct DeclarationTests {
    @Test func `the committed files are what the generator writes from the declarations`() throws {
        for file in GeneratedFile.all {
            let path = Golden.folder.appending(path: "../../../" + file.path).standardizedFileURL
            let committed = try String(contentsOf: path, encoding: .utf8)
            #expect(committed == file.text, "\(file.path) is out of date; run deploy/generate")
        }
        #expect(GeneratedFile.all.count >= 10)
    }

    @Test func `every declared event has a Swift type of the same name on the wire, in the same order`() {
        let declared = Family.all.flatMap { family in family.events.map { $0.name(in: family) } }
        #expect(declared == RecordedEvent.names)
        #expect(Set(declared).count == declared.count && declared.count >= 80)
    }

    @Test func `every command is documented, as are its members, and names each member once`() {
        let commands = CommandFamily.all.flatMap(\.commands)
        for command in commands {
            #expect(command.documentation.hasSuffix("."), "\(command.name)")
            let names = command.members.map(\.name)
            #expect(Set(names).count == names.count, "\(command.name)")
            #expect(command.members.allSatisfy { $0.documentation.hasSuffix(".") }, "\(command.name)")
        }
        #expect(commands.count >= 70)
    }

    @Test func `every event, record and field is documented, and names its fields once`() {
        let records = Family.all.flatMap(\.records).map { ($0.swift, $0.documentation, $0.fields) }
        let events = Family.all.flatMap(\.events).map { ($0.swift, $0.documentation, $0.fields) }
        var fields = 0
        for (name, documentation, list) in events + records {
            #expect(documentation.hasSuffix("."), "\(name): \(documentation)")
            #expect(Set(list.map(\.name)).count == list.count, "\(name) names a field twice")
            for field in list {
                #expect(
                    field.documentation.hasSuffix(".") || field.documentation.hasSuffix("…"), "\(name).\(field.name)")
                #expect(field.name.utf8.allSatisfy { ($0 | 0x20) >= 0x61 && ($0 | 0x20) <= 0x7A }, "\(field.name)")
                fields += 1
            }
        }
        print("declarations: \(events.count) events, \(records.count) records, \(fields) fields")
        #expect(fields >= 250)
    }
}

@Suite("Event schemas")
struct SchemaTests {
    private let declared = Family.all.flatMap { family in
        family.events.map { (name: $0.name(in: family), event: $0, family: family) }
    }

    private func data(of type: any Event.Type) -> JSONAny? {
        declared.first { $0.name == type.name }.map { JSONSchema.object($0.event.fields) }
    }

    private func members(_ json: JSONAny?) -> [(String, JSONAny)] {
        if case .object(let members)? = json { members } else { [] }
    }

    private func texts(_ json: JSONAny?) -> [String] {
        guard case .array(let items)? = json else { return [] }
        return items.compactMap { if case .string(let text) = $0 { text } else { nil } }
    }

    @Test func `every published event has a schema`() {
        for (name, event, family) in declared {
            let schema = JSONSchema.event(event, in: family)
            #expect(schema["title"] == .string(name))
            let fields = members(schema["properties"]?["data"]?["properties"])
            #expect(!fields.isEmpty, "\(name) has no fields")
        }
        #expect(declared.count >= 80)
    }

    @Test func `a schema requires exactly the fields that the reader requires, and has every written field`() throws {
        var left = 0
        for type in RecordedEvent.types {
            let data = try #require(self.data(of: type))
            let required = Set(texts(data["required"]))
            let known = Set(members(data["properties"]).map(\.0))
            let golden = try #require(Golden.bytes(of: type.name))
            guard case .object(var event) = try JSONAny(json: JSONValue.parse(golden)),
                let place = event.firstIndex(where: { $0.0 == "data" }), case .object(let fields) = event[place].1
            else { continue }
            #expect(Set(fields.map(\.0)).isSubset(of: known), "\(type.name) writes what its schema does not know")
            for (index, field) in fields.enumerated() {
                var without = fields
                without.remove(at: index)
                event[place].1 = .object(without)
                var json = JSONWriter()
                JSONAny.object(event).write(to: &json)
                let isRead: Bool
                do {
                    _ = try RecordedEvent(reading: json.bytes)
                    isRead = true
                } catch {
                    isRead = false
                }
                #expect(isRead != required.contains(field.0), "\(type.name): \(field.0)")
                left += 1
            }
        }
        print("schemas: \(left) fields left out one by one")
        #expect(left >= 90)
    }

    @Test func `a schema describes a field by its declared type`() {
        let harvested = data(of: Harvested.self)?["properties"]
        #expect(harvested?["gtin"]?["pattern"] == .string("^[0-9]{14}$"))
        #expect(harvested?["grams"]?["type"] == .string("integer"))
        #expect(harvested?["from"]?["format"] == .string("date-time"))
        let recorded = data(of: ActivityRecorded.self)?["properties"]
        let kinds = texts(recorded?["kind"]?["enum"])
        let required = texts(recorded?["details"]?["required"])
        #expect(kinds.contains("plant-protection") && required.isEmpty)
        #expect(data(of: Packed.self)?["properties"]?["serials"]?["items"]?["type"] == .string("string"))
    }
}

@Suite("Upcasters")
struct UpcasterTests {
    /// Returns a harvest as an earlier version would have written it: without its start of growth, in kilograms.
    private func golden(_ version: Int) throws -> [UInt8] {
        let text = String(decoding: try #require(Golden.bytes(of: Harvested.name)), as: UTF8.self)
        let older = text.replacing(Harvested.name, with: "farm.furrow.trace.harvested.v\(version)")
            .replacing("\"grams\":120000", with: "\"kilograms\":120")
        return Array(older.utf8)
    }

    private let steps = Upcasters([
        Upcasters.Step(from: "farm.furrow.trace.harvested.v-1", to: "farm.furrow.trace.harvested.v1") { $0 },
        Upcasters.Step(from: Harvested.name, to: "farm.furrow.trace.harvested.v0") { $0 },
        Upcasters.Step(from: "farm.furrow.trace.harvested.v0", to: Harvested.name) { data throws(JSONError) in
            guard case .object(let fields) = data, case .integer(let kilograms)? = data["kilograms"] else {
                throw JSONError(message: "expected kilograms", path: "data.kilograms")
            }
            return .object(
                fields.map { $0.0 == "kilograms" ? ("grams", .integer(kilograms * 1000)) : $0 })
        },
    ])

    private func told(_ bytes: [UInt8]) throws -> RecordedEvent {
        let (envelope, data) = try EnvelopeCodec.read(bytes)
        return RecordedEvent(envelope, try EventPayload(envelope.name, data, lifting: steps))
    }

    @Test func `an event of an earlier version is read as the current one, and its bytes are unchanged`() throws {
        let bytes = try golden(0)
        let told = try told(bytes)
        let today = try RecordedEvent(reading: try #require(Golden.bytes(of: Harvested.name)))
        #expect(spelled(told.fact.event) == spelled(today.fact.event))
        #expect(told.envelope.name == "farm.furrow.trace.harvested.v0")
        // Without a step nothing is converted, and no step leads in a cycle or to another event.
        #expect(steps.names == ["farm.furrow.trace.harvested.v0"])
        #expect(throws: JSONError.self) { try RecordedEvent(reading: bytes) }
        let broken = Array(String(decoding: bytes, as: UTF8.self).replacing("120", with: "\"120\"").utf8)
        #expect(throws: JSONError.self) { try self.told(broken) }
    }

    @Test func `every earlier version of a published event has a golden file`() {
        for name in Upcasters.published.names {
            #expect(Golden.bytes(of: name) != nil, "\(name) has no golden file")
            #expect(!RecordedEvent.names.contains(name), "\(name) is written and lifted")
        }
    }

    @Test func `a newer version of a known event is distinguished from an unknown event`() throws {
        let text = String(decoding: try #require(Golden.bytes(of: Harvested.name)), as: UTF8.self)
        func newer(_ name: String) -> NewerVersion? {
            NewerVersion(in: Array(text.replacing(Harvested.name, with: name).utf8))
        }
        #expect(newer("farm.furrow.trace.harvested.v2")?.known == 1)
        #expect(newer("farm.furrow.trace.harvested.v10")?.name == "farm.furrow.trace.harvested.v10")
        for name in [Harvested.name, "farm.furrow.trace.harvested.v0", "farm.furrow.trace.reaped.v2", "", "v2"] {
            #expect(newer(name) == nil)
        }
        var known = 0
        for name in RecordedEvent.names where Golden.bytes(of: name).map({ NewerVersion(in: $0) == nil }) == true {
            known += 1
        }
        #expect(known == RecordedEvent.names.count)
    }
}
