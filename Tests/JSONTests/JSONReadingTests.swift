import JSON
import Testing

@Suite("Reading JSON")
struct JSONReadingTests {
    @Test func `every kind of value is read`() throws {
        let json = try JSONValue.parse(
            #"{"n":null,"t":true,"f":false,"i":-7,"u":18446744073709551615,"d":2.5,"s":"x","a":[1,2],"o":{"k":1}}"#)
        let kinds = try #require(json.object).map { $0.value.kind }
        #expect(kinds == [.null, .bool, .bool, .integer, .integer, .double, .string, .array, .object])
        #expect(try json.get("t", as: Bool.self))
        #expect(try json.get("f", as: Bool.self) == false)
        #expect(try json.get("i", as: Int.self) == -7)
        #expect(try json.get("u", as: UInt64.self) == .max)
        #expect(try json.get("d", as: Double.self) == 2.5)
        #expect(try json.get("i", as: Double.self) == -7)
        #expect(try json.get("s", as: String.self) == "x")
        #expect(try json.get("a", as: [Int32].self) == [1, 2])
        #expect(json["a"]?.array?.count == 2)
        #expect(json["o"]?["k"]?.kind == .integer)
        #expect(json["o"]?.object?.count == 1)
        #expect(json["absent"] == nil)
        #expect(json["i"]?["k"] == nil)
    }

    @Test func `a missing member is distinguished from one of another type`() throws {
        let json = try JSONValue.parse(#"{"name":"Ada","none":null,"count":"three"}"#)
        #expect(try json.find("name", as: String.self) == "Ada")
        #expect(try json.find("none", as: String.self) == nil)
        #expect(try json.find("absent", as: String.self) == nil)
        #expect(throws: JSONError(message: "expected a whole number", path: "count")) {
            try json.find("count", as: Int.self)
        }
        #expect(throws: JSONError(message: "is missing", path: "absent")) { try json.get("absent", as: Int.self) }
        #expect(throws: JSONError(message: "expected a string", path: "none")) {
            try json.get("none", as: String.self)
        }
    }

    @Test func `an error names the path of the value and never its text`() throws {
        let json = try JSONValue.parse(#"{"data":{"x":[[],{}],"readings":[{"value":1},{"value":"secret"}]}}"#)
        let readings = try #require(json["data"]?["readings"]?.array)
        let error = try #require(throws: JSONError.self) {
            for reading in readings { _ = try reading.get("value", as: Double.self) }
        }
        #expect(error == JSONError(message: "expected a number", path: "data/readings/1/value"))
        #expect(error.description == "expected a number at data/readings/1/value")
        #expect(json.path.isEmpty)
        let missing = #expect(throws: JSONError.self) { try json["data"]?.get("zone", as: String.self) }
        #expect(missing?.path == "data/zone")
        #expect(throws: JSONError(message: "expected an object", path: "data/readings")) {
            try json["data"]?["readings"]?.get("value", as: Double.self)
        }
    }

    @Test func `whole numbers are read in their full range, and others are refused`() throws {
        let json = try JSONValue.parse(
            """
            {"low":-9223372036854775808,"high":9223372036854775807,"above":9223372036854775808,
            "top":18446744073709551615,"zero":-0,"minus":-1,"half":0.5,"one":1.0}
            """)
        #expect(try json.get("low", as: Int64.self) == .min)
        #expect(try json.get("high", as: Int64.self) == .max)
        #expect(try json.get("high", as: UInt64.self) == UInt64(Int64.max))
        #expect(try json.get("above", as: UInt64.self) == 1 << 63)
        #expect(try json.get("top", as: UInt64.self) == .max)
        #expect(try json.get("top", as: Double.self) == 0x1p64)
        #expect(try json.get("zero", as: Int64.self) == 0)
        #expect(throws: JSONError.self) { try json.get("above", as: Int64.self) }
        #expect(throws: JSONError.self) { try json.get("minus", as: UInt64.self) }
        #expect(throws: JSONError.self) { try json.get("minus", as: UInt8.self) }
        #expect(throws: JSONError.self) { try json.get("high", as: Int32.self) }
        #expect(throws: JSONError(message: "expected a number from 0 to 65535", path: "high")) {
            try json.get("high", as: UInt16.self)
        }
        #expect(throws: JSONError.self) { try json.get("half", as: Int.self) }
        #expect(try json.get("one", as: Int.self) == 1)
        for text in ["1e18", "9007199254740994.0", "-1e300", "0.1"] {
            #expect(throws: JSONError.self, "\(text)") { try JSONValue.parse(text).int() }
            #expect(throws: JSONError.self, "\(text)") { try JSONValue.parse(text).uint() }
        }
        #expect(try JSONValue.parse("-9007199254740992.0").int() == -9_007_199_254_740_992)
        #expect(throws: JSONError.self) { try JSONValue.parse("-1.0").uint() }
    }

    @Test(arguments: ["1e400", "-1e400", "18446744073709551616", "-9223372036854775809", "01", "+1", ".5", "1.", "NaN"])
    func `a number outside of doubles and 64-bit integers is refused`(text: String) {
        #expect(throws: JSONError.self) { try JSONValue.parse(text) }
        #expect(throws: JSONError.self) { try JSONValue.parse("[\(text)]") }
    }

    @Test func `the smallest and largest doubles are read`() throws {
        #expect(try JSONValue.parse("-0.0").double().sign == .minus)
        #expect(try JSONValue.parse("-0.0").double() == 0)
        #expect(try JSONValue.parse("5e-324").double() == .leastNonzeroMagnitude)
        #expect(try JSONValue.parse("1e-400").double() == 0)
        #expect(try JSONValue.parse("1.7976931348623157e308").double() == .greatestFiniteMagnitude)
    }

    @Test func `the escapes of RFC 8259 are read`() throws {
        let json = try JSONValue.parse(#""\"\\\/\b\f\n\r\t\u0041\u00e9\u20ac\ud834\udd1e\u0000""#)
        #expect(try json.string() == "\"\\/\u{8}\u{c}\n\r\tA\u{e9}\u{20ac}\u{1d11e}\0")
    }

    @Test(arguments: [
        #""\ud800""#, #""\udc00""#, #""\ud800\u0041""#, #""\ud800\ud800""#, #""\udfffx""#, #""\uD8""#, #""\x41""#,
        #""\u00g0""#, "\"\u{1}\"", "\"\n\"", #"{"\uDEAD":1}"#, #"[1,"ok","\\\uDFFF"]"#,
    ])
    func `a string that is not valid text is refused`(text: String) {
        #expect(throws: JSONError.self) { try JSONValue.parse(text) }
        let long = "[" + String(repeating: "1,", count: 50_000) + text + "]"
        #expect(throws: JSONError.self) { try JSONValue.parse(long) }
    }

    @Test func `bytes that are not UTF-8 are refused`() {
        let wrong: [[UInt8]] = [[0xFF], [0xC0, 0x80], [0xED, 0xA0, 0x80], [0xF4, 0x90, 0x80, 0x80], [0xE2, 0x82]]
        for bytes in wrong {
            #expect(throws: JSONError(message: "is not UTF-8")) { try JSONValue.parse([0x22] + bytes + [0x22]) }
        }
    }

    @Test(arguments: [
        "", " ", "{", "}", "[1,]", "{\"a\":1,}", "{\"a\" 1}", "{a:1}", "[1] 2", "nul", "tru", "'a'", "// x\n1",
        "\u{FEFF}1",
        "[1,,2]", "{\"a\":}", "{1:2}", "[", "\"", "\\", "{}{}",
    ])
    func `a text that is not exactly one JSON value is refused`(text: String) {
        #expect(throws: JSONError.self) { try JSONValue.parse(text) }
    }

    @Test func `a bare value is read as a document`() throws {
        #expect(try JSONValue.parse("true").bool())
        #expect(try JSONValue.parse(" null ").isNull)
        #expect(try JSONValue.parse("\"\"").string().isEmpty)
        #expect(try JSONValue.parse("[]").array?.isEmpty == true)
        #expect(try JSONValue.parse("{}").object?.isEmpty == true)
    }

    @Test func `the first of two equal keys is found and the duplicate is reported`() throws {
        let json = try JSONValue.parse(#"{"a":{"k":1,"k":2},"b":[{"x":1}]}"#)
        #expect(try json["a"]?.get("k", as: Int.self) == 1)
        #expect(json.hasDuplicateKeys)
        #expect(json["b"]?.hasDuplicateKeys == false)
        #expect(try JSONValue.parse(#"{"a":1,"\u0061":2}"#).hasDuplicateKeys)
        // Two Unicode encodings of one character are two keys.
        #expect(try !JSONValue.parse(#"{"\u00e9":1,"e\u0301":2}"#).hasDuplicateKeys)
        let many = (0..<100).map { "\"k\($0)\":0" }.joined(separator: ",")
        #expect(try !JSONValue.parse("{\(many)}").hasDuplicateKeys)
        #expect(try JSONValue.parse("{\(many),\"k50\":1}").hasDuplicateKeys)
    }

    @Test func `keys of every length are found, also escaped and empty ones`() throws {
        let json = try JSONValue.parse(#"{"":1,"a\"b":2,"\u20ac":3,"0123456789abcdefXYZ":4}"#)
        #expect(try json.get("", as: Int.self) == 1)
        #expect(try json.get("a\"b", as: Int.self) == 2)
        #expect(try json.get("€", as: Int.self) == 3)
        #expect(try json.get("0123456789abcdefXYZ", as: Int.self) == 4)
    }

    @Test func `known words are read as enumeration cases and others refused`() throws {
        enum Colour: String, JSONReadable, JSONWritable { case red, green }
        let json = try JSONValue.parse(#"["red","green","blue"]"#)
        let values = try #require(json.array).map { $0 }
        #expect(try Colour(json: values[0]) == .red)
        #expect(try values[1].read(as: Colour.self) == .green)
        #expect(throws: JSONError(message: "expected a known Colour", path: "2")) { try Colour(json: values[2]) }
    }
}
