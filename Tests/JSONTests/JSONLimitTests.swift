import JSON
import Testing

@Suite("JSON limits")
struct JSONLimitTests {
    static let example = #"""
        {"specversion":"1.0","id":"0198c1e2-7a34-7d10-9b5e-2f6f6b1f9a01","source":"/sensor-ingest/farm-0",
        "type":"farm.furrow.sensors.reported.v1","subject":"device/ble:c50dfa99cb9e","time":"2025-06-01T04:10:00Z",
        "originpos":18446744073709551615,"data":{"readings":[{"quantity":"temperature","value":21.5,"unit":"Cel"},
        {"quantity":"humidity","value":-3e2,"unit":"\u0025RH"}],"note":"caf\u00e9 \ud83c\udf45 ok","ok":true,"gone":null}}
        """#

    @Test func `a truncated document is refused at every length`() throws {
        let bytes = Array(Self.example.utf8)
        var checked = 0
        for length in 0..<bytes.count {
            #expect(throws: JSONError.self) { try JSONValue.parse(Array(bytes[..<length])) }
            checked += 1
        }
        let whole = try JSONValue.parse(bytes)
        #expect(try whole["data"]?.get("note", as: String.self) == "café 🍅 ok")
        print("JSON: \(checked) cut-off documents refused")
        #expect(checked >= 400)
    }

    @Test func `changing any single byte of a document never crashes the parser`() {
        let bytes = Array(Self.example.utf8)
        var random = SystemRandomNumberGenerator()
        var read = 0
        for index in bytes.indices {
            for _ in 0..<8 {
                var changed = bytes
                changed[index] = UInt8.random(in: 0...255, using: &random)
                guard case .success(let json) = Result(catching: { try JSONValue.parse(changed) }) else { continue }
                var writer = JSONWriter()
                json.write(to: &writer)
                _ = json.hasDuplicateKeys
                #expect(throws: Never.self) { try JSONAny(json: JSONValue.parse(writer.bytes)) }
                read += 1
            }
        }
        print("JSON: \(read) of \(bytes.count * 8) changed documents still read")
        #expect(read >= 400)
    }

    @Test func `containers nested up to the depth limit are read and deeper ones refused`() throws {
        let limit = JSONLimits.depthMax
        func nested(_ depth: Int) -> String {
            String(repeating: "[", count: depth) + String(repeating: "]", count: depth)
        }
        #expect(try JSONValue.parse(nested(limit)).kind == .array)
        let refusal = JSONError(message: "is nested deeper than 64")
        #expect(throws: refusal) { try JSONValue.parse(nested(limit + 1)) }
        #expect(throws: refusal) { try JSONValue.parse(nested(10_000)) }
        let objects = String(repeating: #"{"a":"#, count: limit)
        let ends = String(repeating: "}", count: limit)
        #expect(throws: Never.self) { try JSONValue.parse(objects + "1" + ends) }
        #expect(throws: refusal) { try JSONValue.parse(objects + "{}" + ends) }
        #expect(throws: refusal) { try JSONValue.parse(objects + "[1]" + ends) }
        #expect(throws: Never.self) { try JSONValue.parse("[" + String(repeating: "[],", count: 1_000) + "1]") }
        #expect(throws: JSONError.self) { try JSONValue.parse(String(repeating: "{\"a\":", count: 10_000)) }
        #expect(throws: refusal) { try JSONValue.parse(nested(100_000)) }
    }

    @Test func `a document up to the length limit is read and a longer one refused`() throws {
        let fill = JSONLimits.documentBytesMax - 2
        var bytes = [UInt8](repeating: UInt8(ascii: "x"), count: fill + 2)
        bytes[0] = UInt8(ascii: "\"")
        bytes[fill + 1] = UInt8(ascii: "\"")
        #expect(try JSONValue.parse(bytes).string().utf8.count == fill)
        #expect(throws: JSONError(message: "is longer than 16777216 bytes")) { try JSONValue.parse(bytes + [0x20]) }
    }

    @Test func `a document is read equally from small and large buffers`() throws {
        var checked = 0
        for count in [1, 10, 1_000, 6_000, 7_000, 20_000, 100_000] {
            let text = "[" + (0..<count).map { #"{"":"","k":\#($0)}"# }.joined(separator: ",") + "]"
            let json = try JSONValue.parse(text)
            let array = try #require(json.array)
            #expect(array.count == count)
            var sum = 0
            for element in array {
                sum += try element.get("k", as: Int.self)
                #expect(try element.get("", as: String.self).isEmpty)
            }
            #expect(sum == count * (count - 1) / 2)
            checked += count
        }
        print("JSON: \(checked) elements read back")
        #expect(checked >= 100_000)
    }

    @Test func `strings that take the most space on the tape are read`() throws {
        for count in 1...3_000 where count % 7 == 0 {
            let text = "[" + repeatElement("\"\"", count: count).joined(separator: ",") + "]"
            #expect(try [String](json: JSONValue.parse(text)) == [String](repeating: "", count: count))
        }
    }

    @Test func `the parser reads no bytes after the document`() throws {
        // Slices whose next byte would complete or break the document, at every alignment.
        let text = Array("{\"a\":[1,2,3]}".utf8)
        for offset in 0..<128 {
            let padded = [UInt8](repeating: 0x5D, count: offset) + text + [UInt8](repeating: 0xFF, count: 70)
            let value = try JSONValue.parse(padded.span.extracting(offset..<offset + text.count))
            #expect(try value.get("a", as: [Int].self) == [1, 2, 3])
        }
    }

    @Test func `a document can be read from many threads after its bytes are released`() async throws {
        let json = try JSONValue.parse(Self.example)
        let sums = await withTaskGroup(of: Int.self) { group in
            for _ in 0..<8 {
                group.addTask {
                    var seen = 0
                    for round in 0..<500 {
                        let own = Result { try JSONValue.parse("{\"k\":\(round)}").get("k", as: Int.self) }
                        if case .success(round) = own, json["data"]?["readings"]?.array?.count == 2 { seen += 1 }
                    }
                    return seen
                }
            }
            return await group.reduce(0, +)
        }
        #expect(sums == 4_000)
    }
}
