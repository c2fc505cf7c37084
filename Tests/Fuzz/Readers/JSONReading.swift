import JSON

/// Any JSON: it is read in every way, written and read again.
enum JSONReading {
    static func read(_ bytes: [UInt8]) {
        guard let value = parse(bytes) else { return }
        var left = valuesLookedAt
        look(at: value, &left)
        if let text = String(validating: bytes, as: UTF8.self) {
            let same = attempt { () throws(JSONError) in try JSONValue.parse(text).kind == value.kind }
            precondition(same == true, "a text gives another value than its bytes")
        }
        _ = value.hasDuplicateKeys
        guard let any = attempt({ () throws(JSONError) in try JSONAny(json: value) }) else { return }
        var first = JSONWriter()
        any.write(to: &first)
        guard let again = parse(first.bytes), let other = attempt({ () throws(JSONError) in try JSONAny(json: again) })
        else { preconditionFailure("what was written cannot be read") }
        precondition(Set([any, other]).count == 1, "reading again gives another value")
        var second = JSONWriter()
        other.write(to: &second)
        precondition(second.bytes == first.bytes, "writing again gives other bytes")
    }

    private static func parse(_ bytes: [UInt8]) -> JSONValue? {
        attempt { () throws(JSONError) in try JSONValue.parse(bytes) }
    }

    private static func attempt<Value>(_ body: () throws(JSONError) -> Value) -> Value? {
        do throws(JSONError) { return try body() } catch { return nil }
    }

    /// The maximum values read in one document.
    ///
    /// An error computes its path from the document's start, so reading all values of a long document would take as
    /// long as a hang.
    private static let valuesLookedAt = 200

    private static func look(at value: JSONValue, _ left: inout Int) {
        guard left > 0 else { return }
        left -= 1
        // Every type is tried; most of them throw.
        _ = attempt { () throws(JSONError) in try value.read(as: Int.self) }
        _ = attempt { () throws(JSONError) in try value.read(as: Int32.self) }
        _ = attempt { () throws(JSONError) in try value.read(as: UInt8.self) }
        _ = attempt { () throws(JSONError) in try value.read(as: UInt16.self) }
        _ = attempt { () throws(JSONError) in try value.read(as: UInt32.self) }
        _ = attempt { () throws(JSONError) in try value.read(as: UInt64.self) }
        _ = attempt { () throws(JSONError) in try value.read(as: Int64.self) }
        _ = attempt { () throws(JSONError) in try value.read(as: Double.self) }
        _ = attempt { () throws(JSONError) in try value.read(as: Bool.self) }
        _ = attempt { () throws(JSONError) in try value.read(as: [Word].self) }
        _ = attempt { () throws(JSONError) in try value.text("expected a text") { $0.count } }
        if let array = value.array {
            precondition(array.isEmpty == (array.count == 0) && array.underestimatedCount == array.count)
            for element in array.prefix(left) { look(at: element, &left) }
        }
        guard let object = value.object else { return precondition(value["a"] == nil) }
        precondition(object.isEmpty == (object.count == 0), "isEmpty contradicts count")
        let any = attempt { () throws(JSONError) in try value.read(as: JSONAny.self) }
        for (key, member) in object.prefix(left) {
            precondition(value[key] != nil && any?[key] != nil, "a member is not found")
            look(at: member, &left)
        }
        if object.count <= valuesLookedAt { find(in: value, object) }
    }

    /// Looks up the members in their written order, and in reverse.
    private static func find(in value: JSONValue, _ object: JSONObject) {
        let keys = object.map(\.key)
        for keys in [keys, keys.reversed()] {
            let found = attempt { () throws(JSONError) -> Int in
                var members = try JSONMembers(of: value)
                var found = 0
                for key in keys where members.next(key) != nil { found += 1 }
                return found
            }
            precondition(found == keys.count, "a member is not found in its order")
        }
        guard let key = keys.first else { return }
        _ = attempt { () throws(JSONError) in try value.get(key, as: String.self) }
        _ = attempt { () throws(JSONError) in try value.find(key, as: Int.self) }
        _ = attempt { () throws(JSONError) in try value.get("no such key", as: JSONAny.self) }
        _ = attempt { () throws(JSONError) -> Int? in
            var members = try JSONMembers(of: value)
            _ = try members.next(key)?.read(as: JSONAny.self)
            return try members.get("no such key")
        }
    }

    private enum Word: String, JSONReadable { case word }

    static func seeds() throws -> [[UInt8]] {
        let deep = [63, 64, 65, 10_000].map { String(repeating: "[", count: $0) + String(repeating: "]", count: $0) }
        let wide = "{" + (0..<20).map { "\"k\($0)\":\($0)" }.joined(separator: ",") + ",\"k3\":null}"
        let texts = [
            "null", "true", "false", "0", "-1", "1e400", "-0.0", "1.5", "1.0", "1e-7", "18446744073709551615",
            "18446744073709551616", "-9223372036854775808", "4294967296", "70000", "9007199254740993.0", "\"\"",
            "\"word\"",
            "\"a long text that is looked at eight bytes at a time, \\\" and \\\\ and \\n\\r\\t\\b\\f\\u0001\"",
            "\"\\ud800\"", "\"\\udc00\"", "\"\\ud83c\\udf45\"", "\"\\u0000\"", "[\"word\",\"other\"]",
            "[1,[2,{\"a\":[3]}]]",
            "{}", "[]", "{\"a\":1,\"a\":2}", "{\"a\":{\"b\":1,\"c\":{\"b\":1,\"b\":2}}}", "{\"a\":\"x\",\"b\":null}",
            "{\"a\":true,\"b\":[false,1.5,null,\"x\",{}]}", "{\"\":\"\"}", wide, "\u{FEFF}{}", "", " ", "{",
            String(repeating: "[", count: 300) + String(repeating: "]", count: 290),
            "[" + deep[0] + "," + deep[0] + "]",
        ]
        let broken: [[UInt8]] = [[0x22, 0xC3, 0x28, 0x22], [0xFF], [0x22, 0xED, 0xA0, 0x80, 0x22], [0]]
        let long = Array(("\"" + String(repeating: "x", count: 66_000) + "\"").utf8)
        return (texts + deep).map { Array($0.utf8) } + broken + [long]
            + [try Recordings.event("farm.furrow.trace.farm-founded.v1")]
    }
}
