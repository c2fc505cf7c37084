import EventSourcing
import Events
import Foundation
import HTTP
import Host
import JSON
import TestKit
import Testing
import Vocabulary
import Wire

@testable import SyncGateway

@Suite("E-mails to buyers")
struct EmailTests {
    private func recalled(_ person: String) -> OrderRecalled {
        OrderRecalled(
            order: OrderID("o1"), buyer: PersonID(person), lots: [LotID("L1")], reason: "Glass in a box",
            isCollected: true)
    }

    @Test func `an e-mail fails at once without a mail server, and the staff can list it`() throws {
        try withTemporaryDirectory { folder in
            let harness = try GatewayHarness(in: folder)
            let hub = Hub(harness)
            let bea = try harness.buyer(email: "bea@buyers.test")
            hub.tell([.orders(.orderRecalled(recalled(bea.person)))])
            try harness.tick(3)
            let gaveUp = try harness.journal().filter { $0.contains(MessageGaveUp.name) }
            #expect(gaveUp.count == 1 && harness.jobs.isEmpty)
            #expect(gaveUp[0].contains("\"to\":\"mail\"") && gaveUp[0].contains("FURROW_SMTP"))
            #expect(try !harness.journal().contains { $0.contains("bea@") })
            let grower = try harness.staff(.grower, email: "gus@farm.test", by: try harness.administrator()).token
            let told = try JSONValue.parse(try harness.call("GET", "/v1/messages/given-up", as: grower).body)
            let items = try told.get("items", as: [JSONValue].self)
            #expect(try items.count == 1 && items[0].get("order", as: String.self) == "o1")
            #expect(try items[0].get("about", as: String.self) == "recall")
            #expect(try harness.call("GET", "/v1/messages/given-up", as: bea.token).status == 403)
        }
    }

    /// A recall sends hundreds of e-mails while the mail server does not respond; payments must not wait behind them.
    @Test func `undelivered e-mails do not delay payments, however many wait`() throws {
        try withTemporaryDirectory { folder in
            let harness = try GatewayHarness(in: folder, mail: true)
            let hub = Hub(harness)
            let bea = try harness.buyer(email: "bea@buyers.test")
            hub.tell((0..<600).map { _ in .orders(.orderRecalled(recalled(bea.person))) })
            try harness.tick()
            #expect(harness.deliveries.map(\.to) == Array(repeating: "mail", count: GatewayLimits.flyingMessages))
            let amount = Money(1290, try #require(Currency("EUR")))
            hub.tell(
                (0..<8).map { number in
                    .orders(
                        .paymentRequested(
                            PaymentRequested(
                                payment: PaymentID("p\(number)"), order: OrderID("o"), amount: amount,
                                method: .sandbox)))
                })
            // Payments have a limit of their own, and the scan finds them behind all waiting e-mails.
            for _ in 0..<6 {
                try harness.tick()
                #expect(harness.deliveries.count(where: { $0.to == "sandbox" }) <= GatewayLimits.flyingMessages)
                try harness.answer(outside: "sandbox", 422)
            }
            let refused = try harness.journal().count { $0.contains(MessageGaveUp.name) && $0.contains("sandbox") }
            print("payments beside undelivered e-mails: \(refused) of 8 sent, with 600 e-mails waiting before them")
            #expect(refused == 8)
            #expect(harness.deliveries.count == GatewayLimits.flyingMessages)
        }
    }

    private func alarm(_ people: [String], step: Int = 0) -> AlarmNotificationRequested {
        AlarmNotificationRequested(
            rule: RuleID("warm"), point: PointID("p1"), title: "Top shelf", place: .store(StoreID("cold")),
            quantity: .temperature, value: 9.26, limit: 8, raised: GatewayHarness.start, step: step,
            people: people.map { PersonID($0) })
    }

    @Test func `an alarm is sent to each person of the step, by an e-mail with a number of its own`() throws {
        try withTemporaryDirectory { folder in
            let harness = try GatewayHarness(in: folder, mail: true)
            let hub = Hub(harness)
            let administrator = try harness.administrator()
            let ada = try harness.staff(.grower, email: "eve@farm.test", by: administrator)
            let gus = try harness.staff(.grower, email: "gus@farm.test", by: administrator)
            hub.tell([.sensors(.alarmNotificationRequested(alarm([ada.person, gus.person, "erased"])))])
            try harness.tick(3)
            #expect(harness.deliveries.map(\.to) == ["mail", "mail"])
            let failed = try harness.journal().filter { $0.contains(MessageGaveUp.name) }
            #expect(failed.count == 1 && !failed[0].contains("@"))
            let rows = harness.core.tables.scan(OutboxRow.self)
            #expect(rows.count == 2 && rows.allSatisfy { $0.to == .mail && $0.alarm == "warm|p1" })
        }
    }

    @Test func `the e-mail of an alarm names the point, the value and the limit, and links to the page`() {
        let first = alarm([])
        #expect(first.sentence() == "Top shelf: temperature 9.3 °C, above the limit of 8 °C")
        let text = first.text(for: "Gus", pages: "https://farm.test")
        #expect(text.contains("https://farm.test/staff#/alarms") && !text.contains("Nobody had acknowledged"))
        #expect(alarm([], step: 1).text(for: "Gus", pages: nil).contains("Nobody had acknowledged it"))
        // A mail server that was away must not call people to an alarm that is over.
        let over = first.text(for: "Gus", pages: "https://farm.test", over: GatewayHarness.start)
        #expect(over.contains("The alarm is over") && !over.contains("/staff#/alarms"))
        #expect(first.heading(over: GatewayHarness.start) == "Over by now" && first.heading(over: nil) == "Alarm")
    }

    @Test func `an e-mail is encoded in ASCII headers and short lines that every mail server accepts`() throws {
        let letter = Email(
            number: "0191d9a2-7cde-4cc3-98c4-dc0c0c07398f", recipient: "bea@buyers.test",
            subject: "Recalled: Äpfel «Kronprinz Rudolf» aus dem großen Garten, lot L1",
            text: String(repeating: "Süß. ", count: 60), date: GatewayHarness.start)
        let text = String(decoding: letter.bytes(from: "shop@farm.test"), as: UTF8.self)
        let lines = text.components(separatedBy: "\r\n")
        #expect(text.hasSuffix("\r\n") && lines.allSatisfy { $0.utf8.count <= 78 && !$0.contains("\n") })
        #expect(text.utf8.allSatisfy { $0 < 128 })
        for line in [
            "From: <shop@farm.test>", "To: <bea@buyers.test>", "Date: 03 May 2026 07:00:00 +0000",
            "Message-ID: <0191d9a2-7cde-4cc3-98c4-dc0c0c07398f@farm.test>", "Auto-Submitted: auto-generated",
        ] { #expect(lines.contains(line), "\(line)") }
        let body = try #require(text.components(separatedBy: "\r\n\r\n").last).replacing("\r\n", with: "")
        #expect(BaseEncoding.base64.decode(body).map { String(decoding: $0, as: UTF8.self) } == letter.text)
    }
}
