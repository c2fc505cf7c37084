import EventSourcing
import Events
import Host
import JSON
import TestKit
import Testing
import Vocabulary

@testable import TraceLedger

@Suite("Public passports")
struct StrangerTests {
    private func packed() throws -> Ledger {
        let ledger = try Ledger.farm()
        try ledger.done("harvest", #"{"lot":"A","plot":"p1","product":"Plums","grams":100000}"#)
        try ledger.done("pack-lot", #"{"lot":"A","boxes":1,"gramsEach":500}"#)
        return ledger
    }

    private let stranger = #"{"lot":"A","stranger":true}"#

    @Test func `a stranger can read only the passport of a lot that was labelled, offered or handed over`() throws {
        let ledger = try packed()
        #expect(try ledger.refusal("refresh-passport", stranger) == "404 unknown-lot")
        try ledger.done("refresh-passport", #"{"lot":"A"}"#)
        try ledger.done("print-labels", #"{"lot":"A"}"#)
        try ledger.done("refresh-passport", stranger)
        let sold = try packed()
        let money = Money(100, try #require(Currency("EUR")))
        try sold.hear(
            OfferPublished(offer: "o", product: "p", lot: "A", price: money, takes: 1, pickups: [], until: nil))
        try sold.done("refresh-passport", stranger)
        let gone = try packed()
        try gone.done("hand-over-lot", #"{"lot":"A","to":"Market"}"#)
        try gone.done("refresh-passport", stranger)
    }

    @Test func `a label signed before its printing was recorded is accepted, and a forged one is not`() throws {
        let ledger = try packed()
        let url = try #require(try ledger.done("print-labels", #"{"lot":"A"}"#).texts("labels", "url").first)
        let path = String(url.dropFirst("https://trace.farm.test/".utf8.count))
        let printer = ledger.core.service.printer
        #expect(printer.hasSigned(label: path, of: "A"))
        let forged = [
            path.replacing("/10/A/", with: "/10/B/"), String(path.dropLast()), "S1AB2C/01/1/10/A", "", "/", "S1",
            path.replacing("S1AB2C", with: "S1AB2D"),
        ]
        print("labels: \(forged.count) forged ones")
        for label in forged { #expect(!printer.hasSigned(label: label, of: "A"), "\(label)") }
        #expect(!printer.hasSigned(label: path, of: "B"))
    }

    @Test func `a public passport is issued once a minute at most, and requests a checkpoint with its commit`() throws {
        let ledger = try packed()
        try ledger.done("refresh-passport", #"{"lot":"A"}"#)
        #expect(ledger.archive.wanted == 1)
        for _ in 0..<5 {
            ledger.clock.advance(bySeconds: 9)
            try ledger.done("pack-lot", #"{"lot":"A","boxes":1,"gramsEach":500}"#)
            try ledger.done("refresh-passport", #"{"lot":"A"}"#)
        }
        #expect(try ledger.passports().count == 1)
        ledger.clock.advance(bySeconds: LedgerLimits.passportSeconds)
        try ledger.done("refresh-passport", #"{"lot":"A"}"#)
        #expect(try ledger.passports().count == 2 && ledger.archive.wanted == 2)
    }
}
