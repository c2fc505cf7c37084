import Crypto
import EventSourcing
import EventStore
import Events
import Host
import JSON
import Testing
import Vocabulary

@testable import TraceLedger

@Suite("Labels of boxes")
struct LabelTests {
    private func packed(publicURL: String? = "https://trace.farm.test", boxes: Int = 3) throws -> Ledger {
        let ledger = try Ledger.farm(publicURL: publicURL)
        try ledger.done("harvest", #"{"lot":"TOM-1","plot":"p1","product":"Tomatoes","grams":1000000}"#)
        try ledger.done("pack-lot", #"{"lot":"TOM-1","boxes":\#(boxes),"gramsEach":500}"#)
        return ledger
    }

    /// Splits `<PUBLIC_URL>/S1<kid:4><103 base32>/01/{gtin}/10/{lot}/21/{serial}`, with the path in upper case.
    private func parts(_ url: String, _ publicURL: String) throws -> (kid: String, signature: [UInt8], path: String) {
        let prefix = publicURL.uppercased() + "/S1"
        #expect(url.hasPrefix(prefix))
        let rest = url.dropFirst(prefix.utf8.count)
        let stem = rest.prefix { $0 != "/" }
        #expect(stem.utf8.count == 4 + 103)
        let signature = try #require(BaseEncoding.base32.decode(String(stem.dropFirst(4))))
        return (String(stem.prefix(4)), signature, String(rest.dropFirst(stem.utf8.count + 1)))
    }

    @Test func `a label is a Digital Link in upper case with key and signature`() throws {
        let ledger = try packed()
        let answer = try ledger.done("print-labels", #"{"lot":"TOM-1"}"#)
        let labels = answer.items("labels")
        let serials = try labels.map { try $0.get("serial", as: String.self) }
        #expect(labels.count == 3)
        #expect(Set(serials).count == 3)
        #expect(serials.allSatisfy { $0.utf8.count == 13 })
        #expect(try labels.map { try $0.get("index", as: Int.self) } == [1, 2, 3])
        #expect(try answer.get("farm", as: String.self) == "Sunny Hill")
        for (label, serial) in zip(labels, serials) {
            let url: String = try label.get("url")
            #expect(url == url.uppercased())
            let (kid, signature, path) = try parts(url, "https://trace.farm.test")
            #expect(kid == Ledger.kid)
            let steps = path.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
            #expect(steps.count == 6)
            #expect(steps[0] == "01" && steps[2] == "10" && steps[4] == "21")
            #expect(GTIN(steps[1])?.digits == steps[1])
            #expect(steps[3] == "TOM-1" && steps[5] == serial)
            let signed = Array("v1|https://id.gs1.org/\(path)|\(kid)".utf8)
            #expect(P256Key.verify(signature: signature, message: signed, publicKey: ledger.labelKey.publicKey))
            let other = Array("v1|https://id.gs1.org/\(path.dropLast())A|\(kid)".utf8)
            #expect(!P256Key.verify(signature: signature, message: other, publicKey: ledger.labelKey.publicKey))
        }
    }

    @Test func `the key of a label is published before any other event of the ledger`() throws {
        let ledger = try Ledger()
        let keys = try ledger.done("ledger-keys").items("labelKeys")
        #expect(try keys.map { try $0.get("kid", as: String.self) } == [Ledger.kid])
        #expect(
            try keys.map { try $0.get("publicKey", as: String.self) }
                == [BaseEncoding.base64url.encode(ledger.labelKey.publicKey)])
        let head = ledger.core.log.head.position
        try ledger.core.take(.ticked(wall: ledger.now), at: ledger.now)
        _ = try ledger.core.commit()
        #expect(ledger.core.log.head.position == head)
    }

    @Test func `labels are refused while no public address is configured`() throws {
        let ledger = try packed(publicURL: nil)
        #expect(try ledger.refusal("print-labels", #"{"lot":"TOM-1"}"#) == "409 public-url-unset")
        #expect(try ledger.refusal("labels", #"{"lot":"TOM-1"}"#) == "409 not-printed")
    }

    @Test func `a label has one slash behind the address, however the address is configured`() throws {
        let ledger = try packed(publicURL: "https://trace.farm.test//")
        let url = try #require(try ledger.done("print-labels", #"{"lot":"TOM-1"}"#).texts("labels", "url").first)
        _ = try parts(url, "https://trace.farm.test")
    }

    @Test func `printed labels can be read again without another event`() throws {
        let ledger = try packed()
        try ledger.done("print-labels", #"{"lot":"TOM-1"}"#)
        let head = ledger.core.log.head.position
        #expect(try ledger.done("labels", #"{"lot":"TOM-1"}"#).items("labels").count == 3)
        #expect(ledger.core.log.head.position == head)
        #expect(try ledger.done("lot", #"{"lot":"TOM-1"}"#).get("printed", as: Bool.self))
    }

    @Test func `labels for the most boxes of a lot fit one response`() throws {
        let address = "https://" + String(repeating: "a", count: LedgerLimits.addressBytes - 8)
        let ledger = try Ledger.farm(publicURL: address)
        try ledger.done(
            "harvest", #"{"lot":"LOT-WITH-20-LETTERS1","plot":"p1","product":"Tomatoes","grams":1000000000}"#)
        try ledger.done(
            "pack-lot", #"{"lot":"LOT-WITH-20-LETTERS1","boxes":\#(LedgerLimits.boxes),"gramsEach":1000000}"#)
        let labels = try ledger.done("print-labels", #"{"lot":"LOT-WITH-20-LETTERS1"}"#)
        #expect(labels.items("labels").count == LedgerLimits.boxes)
        #expect(
            try ledger.refusal("pack-lot", #"{"lot":"LOT-WITH-20-LETTERS1","boxes":1,"gramsEach":1}"#)
                == "409 too-many-boxes")
        var json = JSONWriter()
        try JSONAny(json: labels).write(to: &json)
        print("labels: \(LedgerLimits.boxes) labels are an answer of \(json.bytes.count) bytes")
        #expect(json.bytes.count < StoreLimits.answerBytes - 1000)
    }

    @Test func `a box has a random serial number, and a repeated request returns the same one`() throws {
        let ledger = try Ledger.farm()
        try ledger.done("harvest", #"{"lot":"A","plot":"p1","product":"Tomatoes","grams":1000000}"#)
        let body = #"{"lot":"A","boxes":100,"gramsEach":1}"#
        let first = try ledger.ask("pack-lot", body, key: "same").json.items("serials").map { try $0.string() }
        let again = try ledger.ask("pack-lot", body, key: "same").json.items("serials").map { try $0.string() }
        let other = try ledger.ask("pack-lot", body, key: "other").json.items("serials").map { try $0.string() }
        #expect(first == again)
        #expect(Set(first + other).count == 200)
        #expect(try ledger.ask("pack-lot", #"{"lot":"A","boxes":1,"gramsEach":1}"#, key: "same").status == 422)
    }
}
