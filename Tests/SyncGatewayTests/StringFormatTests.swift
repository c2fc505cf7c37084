import Events
import Foundation
import JSON
import Testing
import Wire

@testable import SyncGateway

@Suite("Request validation and API description")
struct StringFormatTests {
    static let forms: [(name: String, form: StringFormat, good: [String], bad: [String])] = [
        (
            "name", .name, ["p1", "A_b-3", String(repeating: "x", count: 40)],
            ["", "a b", "ä", "a/b", String(repeating: "x", count: 41)]
        ),
        (
            "person", .person, ["0191d9a2-7cde-7cc3-98c4-dc0c0c07398f"],
            ["", "anna-huber", "0191D9A2-7CDE-7CC3-98C4-DC0C0C07398F", "0191d9a27cde7cc398c4dc0c0c07398f"]
        ),
        ("line", .line(5), ["a", " a", "äöüßé", "a b"], ["", " ", "a\nb", "\u{7}", "\0a", "abcdef", "\u{7F}"]),
        ("lines", .lines(6), ["a", "a\nb", "\n a\tb"], ["", " \n", "a\0", "\u{1B}[1m", "abcdefg"]),
        ("optional line", StringFormat.line(5).optional, ["", "a"], [" ", "a\nb"]),
        ("lot", .lot, ["TOM-1", "0"], ["", "tom", "TOM_1", String(repeating: "A", count: 21)]),
        ("place", .place, ["plot/p1", "store/s_1"], ["plot/", "barn/p1", "plot/p 1", "plot/a/b"]),
        ("clock", .clock, ["00:00", "21:30", "23:59"], ["24:00", "9:30", "21:60", "21.30", "21:3", "", "+1:00"]),
        ("currency", .currency, ["EUR"], ["eur", "EURO", "E1R", ""]),
        (
            "digest", .digest, [String(repeating: "aF", count: 32)],
            ["", String(repeating: "a", count: 63), String(repeating: "g", count: 64)]
        ),
        ("link", .link(20), ["https://a", "http://a.test/ä"], ["https://", "ftp://a", "a", "http://a b", "http://<"]),
        ("email", .email, ["a@b", "ä+1@b.test"], ["a", "@b", "a@", "a@b@c", "a b@c"]),
        ("password", .password, ["0123456789"], ["012345678", "012345678\0"]),
        ("key", .key, ["k", "!~"], ["", "a b", "ä"]),
        (
            "wishes", .wishes, ["a:1", "a:1,b-2:1000"],
            ["", "a", "a:", ":1", "a:1,", "a:x", "a:0", "a:01", "a:1001", "a:1:1"]
        ),
        ("topics", .topics, ["alarms", "readings,alarms"], ["", "alarms,", "weather", "alarms,,readings"]),
        ("pulled", .pulled, ["null", "0", "123"], ["", "-1", "1.0", "nul"]),
        ("record", .record, ["a.b-C_1"], ["", "a/b", String(repeating: "a", count: 65)]),
        (
            "address", .address, ["c50d00112233", "C5:0d:00:11:22:33"],
            ["c50d0011223", "c5:0d", "c50d:00112233", "g50d00112233"]
        ),
        ("advert", .advert, ["", "0a", "02010612FF"], ["0", "0g"]),
        (
            "characteristic", .characteristic,
            ["2a6e", "F000AA21", "f000aa21-0451-4000-b000-000000000000"],
            [
                "", "2a6", "2a6e1", "2a6g", "f000aa2104514000b000000000000000",
                "f000aa21-0451-4000-b000-00000000000", "-f000aa21", "f000aa21-0451-4000-b000-000000000000-",
            ]
        ),
        ("device", .device, ["ble:c5"], ["", "a b", "ä"]),
        ("tile", .tile, ["000", "x001/234", "x001/234.p/7"], ["", "1", "001/234", "x1/234"]),
        ("seconds", .seconds, ["1760000000"], ["", "-1", "1e9"]),
        ("signatures", .signatures, ["v1,YQ==", "v1,a v1,b"], ["", "v1,", "v2,a", "v1,a  v1,b", "v1,ä"]),
    ]

    /// Returns whether a text matches the API description's pattern and length.
    static func isDescribed(_ form: StringFormat, _ text: String) throws -> Bool {
        // In ECMA 262 `$` matches only the very end, not before a final line break.
        let pattern = try NSRegularExpression(pattern: form.pattern.replacing("$", with: "\\z"))
        let whole = NSRange(text.startIndex..., in: text)
        return form.characters.contains(text.unicodeScalars.count) && pattern.firstMatch(in: text, range: whole) != nil
    }

    @Test func `every string format accepts exactly the texts that its pattern matches`() throws {
        var checked = 0
        for (name, form, good, bad) in Self.forms {
            for (texts, isGood) in [(good, true), (bad, false)] {
                for text in texts {
                    #expect(form.accepts(text) == isGood, "\(name): \(text.debugDescription)")
                    #expect(try Self.isDescribed(form, text) == isGood, "\(name) described: \(text.debugDescription)")
                    checked += 1
                }
            }
        }
        print("forms: \(Self.forms.count), texts: \(checked)")
        #expect(checked >= 100)
    }

    @Test func `each character below U+0300 is accepted exactly if the pattern matches it`() throws {
        for code in (0..<0x300).compactMap(Unicode.Scalar.init) {
            for text in [String(code), "a\(code)", "\(code)a"] {
                for form in [StringFormat.line(9), .lines(9), .name, .lot, .link(9), .email, .key, .device, .password] {
                    let seen = try Self.isDescribed(form, text)
                    #expect(form.accepts(text) == seen, "\(form.words): \(code.value)")
                }
            }
        }
    }

    @Test func `an optional member may be null, and no value of another type is accepted`() throws {
        let shape: Shape = [
            "title": .line, "crop?": .line, "area?": .between(0...9), "lines?": .few(.whole(1...3), 1...2),
        ]
        let asked = APISchema.object(shape.asked)
        for good in [
            #"{"title":"T"}"#, #"{"title":"T","crop":null,"area":null,"lines":null}"#, #"{"title":"T","crop":""}"#,
            #"{"title":"T","area":9,"lines":[1,3],"more":[]}"#,
        ] {
            try asked.check(try JSONValue.parse(good))
        }
        for (bad, place) in [
            (#"{}"#, "title"), (#"{"title":null}"#, "title"), (#"{"title":""}"#, "title"), (#"{"title":1}"#, "title"),
            (#"{"title":"T","crop":" "}"#, "crop"), (#"{"title":"T","area":9.5}"#, "area"),
            (#"{"title":"T","area":"1"}"#, "area"), (#"{"title":"T","lines":[]}"#, "lines"),
            (#"{"title":"T","lines":[1,4]}"#, "lines/1"), (#"{"title":"T","lines":[1,2,3]}"#, "lines"),
        ] {
            let value = try JSONValue.parse(bad)
            let error = #expect(throws: JSONError.self, "\(bad)") { try asked.check(value) }
            #expect(error?.path == place, "\(bad)")
        }
    }
}
