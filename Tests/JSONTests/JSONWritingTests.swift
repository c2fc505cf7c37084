import JSON
import Testing

@Suite("Writing JSON")
struct JSONWritingTests {
    @Test func `members are written in order, without spaces`() {
        var json = JSONWriter(reserving: 256)
        json.object { json in
            json.field("id", "a-1")
            json.field("count", 3)
            json.field("left out", ifPresent: Int?.none)
            json.field("there", ifPresent: true)
            json.field("data", object: { _ in })
            json.field(
                "list",
                array: { json in
                    json.element(1.5)
                    json.element(object: { json in json.field("k", UInt64.max) })
                    json.element(array: { _ in })
                    json.null()
                })
            json.field("raw", raw: Array(#"{"x":1}"#.utf8))
            json.field("bytes", [UInt8(1), 2])
        }
        let expected =
            #"{"id":"a-1","count":3,"there":true,"data":{},"list":[1.5,{"k":18446744073709551615},[],null],"#
            + #""raw":{"x":1},"bytes":[1,2]}"#
        #expect(json.text == expected)
    }

    @Test func `the error of a body is rethrown with its own type`() {
        struct Stop: Error, Equatable {}
        var json = JSONWriter()
        #expect(throws: Stop()) { try json.object { _ throws(Stop) in throw Stop() } }
    }

    @Test func `exactly the characters that RFC 8259 requires are escaped`() throws {
        let all = String(String.UnicodeScalarView((0..<0x300).compactMap { Unicode.Scalar($0 as UInt32) }))
        var json = JSONWriter()
        json.string(all + "€🍅\u{2028}/")
        let text = json.text
        #expect(text.hasPrefix(#""\u0000\u0001\u0002\u0003\u0004\u0005\u0006\u0007\b\t\n\u000b\f\r\u000e\u000f\u0010"#))
        #expect(text.contains("\\u001f !\\\"#$"))
        #expect(text.contains(#"[\\]"#))
        #expect(try JSONValue.parse(json.bytes).string() == all + "€🍅\u{2028}/")
    }

    @Test func `a character to escape is found at every position, and bytes after the end are ignored`() throws {
        var (escaped, plain) = (0, 0)
        for length in 1...20 {
            for place in 0..<length {
                for byte in [0, 0x1F, 0x20, 0x21, 0x22, 0x23, 0x5B, 0x5C, 0x5D, 0x7F] as [UInt8] {
                    // The next writer probably reuses this one's memory.
                    var used = JSONWriter()
                    used.raw([UInt8](repeating: UInt8(ascii: "\""), count: 120))
                    var text = [UInt8](repeating: UInt8(ascii: "x"), count: length)
                    text[place] = byte
                    _ = consume used
                    var json = JSONWriter()
                    json.string(String(decoding: text, as: UTF8.self))
                    let isSpecial = byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\")
                    if isSpecial { escaped += 1 } else { plain += 1 }
                    let added = !isSpecial ? 0 : byte < 0x20 ? 5 : 1
                    let written = json.bytes
                    #expect(written.count == length + 2 + added)
                    #expect(try JSONValue.parse(written).string().utf8.elementsEqual(text))
                }
            }
        }
        print("JSON: \(escaped) strings escaped, \(plain) left as they are")
        #expect(escaped == 840 && plain == 1260)
    }

    @Test(
        arguments: [
            0.1, -0.0, 1, 100, 21.5, 1e16, 1e21, 1e-7, .leastNonzeroMagnitude, .greatestFiniteMagnitude,
            .leastNormalMagnitude, .pi,
            -1.0 / 3,
        ] as [Double])
    func `a written double is read back bit by bit`(value: Double) throws {
        var json = JSONWriter()
        json.number(value)
        let read = try JSONValue.parse(json.bytes)
        #expect(read.kind == .double)
        #expect(try read.double().bitPattern == value.bitPattern)
    }

    @Test func `random numbers are read back`() throws {
        var random = SystemRandomNumberGenerator()
        var checked = 0
        for _ in 0..<20_000 {
            let bits = random.next()
            var json = JSONWriter()
            json.array { json in
                json.number(bits)
                json.number(Int64(bitPattern: bits))
                json.number(Double(bitPattern: bits))
            }
            let values = try #require(JSONValue.parse(json.bytes).array).map { $0 }
            #expect(try values[0].uint() == bits)
            #expect(try values[1].int() == Int64(bitPattern: bits))
            let double = Double(bitPattern: bits)
            if double.isFinite {
                #expect(try values[2].double().bitPattern == bits)
            } else {
                #expect(values[2].isNull)
            }
            checked += 3
        }
        print("JSON: \(checked) random numbers read back")
        #expect(checked >= 60_000)
    }

    @Test func `values that JSON cannot represent are written as null`() {
        var json = JSONWriter()
        json.object { json in
            json.field("nan", Double.nan)
            json.field("up", Double.infinity)
            json.field("down", -Double.infinity)
            json.field("nothing", raw: [])
        }
        #expect(json.text == #"{"nan":null,"up":null,"down":null,"nothing":null}"#)
    }

    @Test func `a writer stops at the depth limit and reports it`() throws {
        func nest(_ json: inout JSONWriter, _ levels: Int) {
            json.array { json in if levels > 1 { nest(&json, levels - 1) } }
        }
        var whole = JSONWriter()
        nest(&whole, JSONLimits.depthMax)
        let (isWhole, isCut) = (!whole.isTooDeep, whole.text.contains("null"))
        #expect(isWhole && !isCut)
        #expect(throws: Never.self) { try JSONValue.parse(whole.bytes) }
        var deep = JSONWriter()
        nest(&deep, 10_000)
        let isTooDeep = deep.isTooDeep
        #expect(isTooDeep)
        #expect(throws: Never.self) { try JSONValue.parse(deep.bytes) }
    }

    @Test func `a JSONAny value is written and read without a change`() throws {
        let text = #"{"b":1,"a":[null,true,-1,2.5,"x",{"z":{},"y":[]}],"b":9007199254740993}"#
        let any = try JSONAny(json: JSONValue.parse(text))
        var json = JSONWriter()
        any.write(to: &json)
        #expect(json.text == text)
        #expect(any["b"] == .integer(1))
        #expect(try any == JSONAny(json: JSONValue.parse(json.bytes)))
        #expect(any.hashValue == (try JSONAny(json: JSONValue.parse(text))).hashValue)
        #expect(JSONAny.object([("a", .null), ("b", .null)]) != .object([("b", .null), ("a", .null)]))
        #expect(try JSONAny(json: JSONValue.parse("18446744073709551615")) == .double(0x1p64))
    }
}
