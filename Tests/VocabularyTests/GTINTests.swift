import Foundation
import JSON
import Testing
import Vocabulary

@Suite("GTINs")
struct GTINTests {
    @Test(arguments: [
        // GS1's own examples, from its Digital Link test cases.
        ("09520123456788", "09520123456788"), ("9520123456788", "09520123456788"),
        ("12312312312333", "12312312312333"), ("2112345678900", "02112345678900"), ("416000336108", "00416000336108"),
        ("02345673", "00000002345673"),
    ])
    func `a GTIN of 8, 12, 13 or 14 digits is read and has 14 digits`(text: String, digits: String) {
        #expect(GTIN(text)?.digits == digits)
    }

    @Test(arguments: [
        "", "0", "9520123456789", "95201234567881", "952012345677", "9520 12345678", "952012345678８", "-520123456788",
        "0952012345678x",
    ])
    func `a text with a wrong check digit or length is no GTIN`(text: String) {
        #expect(GTIN(text) == nil)
    }

    @Test func `every single wrong digit is detected`() {
        let right = Array("09520123456788".utf8)
        var refused = 0
        for index in right.indices {
            for digit in UInt8(ascii: "0")...UInt8(ascii: "9") where digit != right[index] {
                var wrong = right
                wrong[index] = digit
                if GTIN(String(decoding: wrong, as: UTF8.self)) == nil { refused += 1 }
            }
        }
        #expect(refused == 14 * 9)
    }

    @Test func `the GTIN of a farm without a company prefix is of restricted circulation`() throws {
        #expect(GTIN.restricted(0)?.digits == "00200000000004")
        var seen: Set<GTIN> = []
        for number in 0..<1000 {
            let gtin = try #require(GTIN.restricted(number))
            #expect(GTIN(gtin.digits) == gtin)
            #expect(gtin.isRestricted)
            seen.insert(gtin)
        }
        #expect(seen.count == 1000)
        #expect(GTIN.restricted(9_999_999_999)?.digits.utf8.count == 14)
        #expect(GTIN.restricted(10_000_000_000) == nil)
        #expect(GTIN.restricted(-1) == nil)
    }

    @Test func `a GTIN with a company prefix is not of restricted circulation`() {
        #expect(GTIN("9520123456788")?.isRestricted == false)
        #expect(GTIN("2112345678900")?.isRestricted == true)
    }

    @Test func `the GTIN is found in each link of GS1's test cases`() throws {
        let root = URL(filePath: #filePath).resolvingSymlinksInPath().deletingLastPathComponent()
        let file = root.appending(path: "../../../shared/data/epcis/gs1-digital-link/dl-cases.json").standardizedFileURL
        guard let data = FileManager.default.contents(atPath: file.path()) else {
            print("SKIPPED GS1's Digital Link cases: the data set is not beside the package")
            return
        }
        let json = try JSONValue.parse(Array(data))
        var checked = 0
        for entry in try #require(json["parse"]?.array) where try entry.get("valid", as: Bool.self) {
            let link: String = try entry.get("uri")
            let parts = link.prefix { $0 != "?" && $0 != "#" }.split(separator: "/")
            guard let index = parts.firstIndex(of: "01"), index + 1 < parts.count, index >= 2,
                parts[index + 1].allSatisfy({ $0.isASCII && $0.isNumber }), parts[index + 1].utf8.count >= 8
            else { continue }
            let text = String(parts[index + 1])
            #expect(GTIN(text) != nil, "\(link)")
            checked += 1
        }
        print("item numbers: \(checked) of GS1's links checked")
        #expect(checked >= 40)
    }
}
