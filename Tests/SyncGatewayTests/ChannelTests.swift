import Crypto
import EventSourcing
import Events
import HTTP
import Host
import JSON
import TestKit
import Testing
import Vocabulary
import Wire

@testable import SyncGateway

@Suite("Notifications by webhook and push")
struct ChannelTests {
    /// A grower with a webhook, and a hub from which alarms come.
    private struct Farm {
        let harness: GatewayHarness
        let hub: Hub
        let administrator: String
        let gus: (person: String, token: String)

        init(in folder: String, mail: Bool = false) throws {
            harness = try GatewayHarness(in: folder, mail: mail)
            hub = Hub(harness)
            administrator = try harness.administrator()
            gus = try harness.staff(.grower, email: "gus@farm.test", by: administrator)
        }

        func makeWebhook(key: String = "hook") throws -> HTTPResponse {
            try harness.call(
                "POST", "/v1/webhooks", "{\"recipient\":\"\(gus.person)\",\"url\":\"https://hooks.example/alarm\"}",
                as: administrator, key: key)
        }

        func subscribe(_ endpoint: String = "https://push.example/1", as token: String, key: String = "p") throws
            -> HTTPResponse
        {
            let keys = BaseEncoding.base64url.encode(P256Key.generate().publicKey)
            let secret = BaseEncoding.base64url.encode([UInt8](repeating: 5, count: 16))
            return try harness.call(
                "POST", "/v1/me/channels",
                "{\"endpoint\":\"\(endpoint)\",\"p256dh\":\"\(keys)\",\"auth\":\"\(secret)\"}", as: token, key: key)
        }

        func raise(step: Int = 0) throws {
            hub.tell([
                .sensors(
                    .alarmNotificationRequested(
                        AlarmNotificationRequested(
                            rule: RuleID("warm"), point: PointID("p1"), title: "Top shelf",
                            place: .store(StoreID("cold")), quantity: .temperature, value: 9.26, limit: 8,
                            raised: GatewayHarness.start, step: step, people: [PersonID(gus.person)])))
            ])
            try harness.tick()
        }

        func acknowledge() throws {
            hub.tell([
                .sensors(
                    .alarmAcknowledged(
                        AlarmAcknowledged(rule: RuleID("warm"), point: PointID("p1"), comment: nil)))
            ])
            try harness.tick()
        }

        /// Completes the deliveries to recipients of this kind; returns their number.
        @discardableResult
        func answer(_ kind: String, _ status: Int) throws -> Int {
            let flying = harness.deliveries.map(\.to).filter { $0.hasPrefix(kind) }
            for recipient in Set(flying) { try harness.answer(outside: recipient, status) }
            return flying.count
        }

        func outcomes() throws -> [String] {
            let items = try harness.call("GET", "/v1/notifications", as: gus.token).json
                .get("items", as: [JSONValue].self)
            return try items.map { "\(try $0.get("to", as: String.self)) \(try $0.get("state", as: String.self))" }
        }
    }

    @Test func `a person is notified by e-mail, webhook and device, each a message of its own`() throws {
        try withTemporaryDirectory { folder in
            let farm = try Farm(in: folder, mail: true)
            #expect(try farm.makeWebhook().status == 201)
            #expect(try farm.subscribe(as: farm.gus.token).status == 201)
            try farm.raise()
            #expect(try farm.outcomes().sorted() == ["mail waiting", "push waiting", "webhook waiting"])
            for (kind, status) in [("mail", 250), ("webhook", 204), ("push", 201)] {
                #expect(try farm.answer(kind, status) == 1, "\(kind)")
            }
            #expect(try farm.outcomes().sorted() == ["mail sent", "push sent", "webhook sent"])
            let sent = try farm.harness.journal().filter { $0.contains(MessageSent.name) }
            #expect(sent.count == 3)
            #expect(try !farm.harness.journal().contains { $0.contains("example") }, "addresses stay in the vault")
        }
    }

    @Test func `a message in flight when the process dies is sent again, and one without the outbox is lost`() throws {
        var repeated: [Bool] = []
        for isInOutbox in [true, false] {
            try withTemporaryDirectory { folder in
                let farm = try Farm(in: folder)
                #expect(try farm.makeWebhook().status == 201)
                try farm.raise()
                let tables = farm.harness.core.tables
                // The mutant takes a message out when it sends it, and not when it is accepted.
                if !isInOutbox {
                    for row in tables.scan(OutboxRow.self, limit: 10) { tables.remove(OutboxRow.self, row.key) }
                }
                let flying = farm.harness.deliveries.count { $0.to.hasPrefix("webhook") }
                #expect(flying == 1)
                try farm.harness.restart()
                try farm.harness.tick(2)
                repeated.append(farm.harness.deliveries.count { $0.to.hasPrefix("webhook") } > flying)
            }
        }
        #expect(repeated == [true, false], "the rule, and its mutant")
    }

    @Test func `the secret of a webhook is in the response to its creation only`() throws {
        try withTemporaryDirectory { folder in
            let farm = try Farm(in: folder)
            let made = try farm.makeWebhook().json
            let secret: String = try made.get("secret")
            #expect(secret.hasPrefix("whsec_"))
            #expect(BaseEncoding.base64.decode(String(secret.dropFirst(6)))?.count == 32)
            #expect(try farm.makeWebhook().json.get("secret", as: String.self) == secret, "the same request")
            let listed = try farm.harness.call("GET", "/v1/webhooks", as: farm.administrator)
            #expect(!listed.text.contains("whsec") && listed.text.contains("https://hooks.example/alarm"))
            #expect(try farm.harness.call("GET", "/v1/webhooks", as: farm.gus.token).status == 403)
            let id: String = try made.get("channel")
            #expect(try farm.harness.call("DELETE", "/v1/webhooks/\(id)", as: farm.administrator).status == 204)
            try farm.raise()
            #expect(try farm.outcomes() == ["mail failed"])
        }
    }

    @Test func `a webhook is retried after any refusal but 410, which disables it`() throws {
        try withTemporaryDirectory { folder in
            let farm = try Farm(in: folder)
            _ = try farm.makeWebhook()
            try farm.raise()
            for status in [500, 404, 302, 400, 0] {
                #expect(try farm.answer("webhook", status) == 1, "\(status)")
                #expect(try farm.outcomes().contains("webhook waiting"))
                for _ in 0..<200 where farm.harness.deliveries.isEmpty { try farm.harness.tick() }
            }
            try farm.answer("webhook", 410)
            #expect(try farm.outcomes().contains("webhook failed"))
            let listed = try farm.harness.call("GET", "/v1/webhooks", as: farm.administrator)
            #expect(listed.text.contains("\"state\":\"disabled\""))
            try farm.raise(step: 1)
            #expect(farm.harness.deliveries.isEmpty)
        }
    }

    @Test func `the next attempt waits for Retry-After, for an hour at most`() throws {
        let tried = DeliveryResult(status: 429, retryAfter: 100_000, reason: "slow down")
        let read = DeliveryResult(tried.bytes)
        #expect(read.status == 429 && read.retryAfter == 3600 && read.reason == "slow down" && !read.isAccepted)
        #expect(DeliveryResult([]).status == 0)
        let row = OutboxRow(
            UUID(bytes: [1]), cause: UUID(bytes: [2]), to: .webhook, path: "", about: nil, body: "{}",
            channel: UUID(bytes: [3]))
        var scheduler = OutboxScheduler()
        #expect(scheduler.take([row], at: 1) == [row] && scheduler.take([row], at: 1).isEmpty)
        let isRetried = scheduler.fail(row.key, at: 1, "slow down", after: 30)
        #expect(isRetried && scheduler.failures(of: row.key)?.reason == "slow down")
        #expect(scheduler.take([row], at: 300).isEmpty && scheduler.take([row], at: 301) == [row])
        // A channel that hangs does not take the places of others.
        let others = (4..<6).map { number in
            OutboxRow(
                UUID(bytes: [UInt8(number)]), cause: UUID(bytes: [2]), to: .webhook, path: "", about: nil, body: "{}",
                channel: UUID(bytes: [number == 4 ? 3 : 9]))
        }
        #expect(scheduler.take(others, at: 301) == [others[1]])
    }

    @Test func `a push service that knows a subscription no more removes it`() throws {
        for status in [404, 410] {
            try withTemporaryDirectory { folder in
                let farm = try Farm(in: folder)
                _ = try farm.subscribe(as: farm.gus.token)
                try farm.raise()
                try farm.answer("push", 429)
                for _ in 0..<200 where farm.harness.deliveries.isEmpty { try farm.harness.tick() }
                try farm.answer("push", status)
                let own = try farm.harness.call("GET", "/v1/me/channels", as: farm.gus.token).json
                #expect(try own.get("items", as: [JSONValue].self).isEmpty)
                #expect(farm.harness.core.tables.scan(ChannelRow.self).isEmpty)
            }
        }
    }

    @Test func `a message that waits is withdrawn when the alarm is acknowledged`() throws {
        try withTemporaryDirectory { folder in
            let farm = try Farm(in: folder, mail: true)
            _ = try farm.makeWebhook()
            _ = try farm.subscribe(as: farm.gus.token)
            try farm.raise()
            // The e-mail waits for its next attempt; the others are in flight.
            try farm.answer("mail", 503)
            try farm.acknowledge()
            #expect(try farm.outcomes().sorted() == ["mail withdrawn", "push waiting", "webhook waiting"])
            // What a receiver has accepted meanwhile was sent; what it refused is not repeated.
            try farm.answer("webhook", 200)
            try farm.answer("push", 503)
            for _ in 0..<100 { try farm.harness.tick() }
            #expect(try farm.outcomes().sorted() == ["mail withdrawn", "push withdrawn", "webhook sent"])
            #expect(farm.harness.deliveries.isEmpty && farm.harness.core.tables.scan(OutboxRow.self).isEmpty)
            let reasons = try farm.harness.journal().filter { $0.contains(MessageWithdrawn.name) }
            #expect(reasons.count == 2 && reasons.allSatisfy { $0.contains("the alarm was acknowledged") })
            // A later incident is notified again.
            try farm.raise()
            #expect(farm.harness.deliveries.count == 3)
        }
    }

    @Test func `a reminder replaces the earlier message by the same channel only`() throws {
        try withTemporaryDirectory { folder in
            let farm = try Farm(in: folder, mail: true)
            _ = try farm.makeWebhook()
            try farm.raise()
            try farm.answer("mail", 503)
            try farm.answer("webhook", 200)
            try farm.raise(step: 1)
            #expect(
                try farm.outcomes().sorted() == ["mail waiting", "mail withdrawn", "webhook sent", "webhook waiting"])
        }
    }

    @Test func `a device belongs to the person who subscribed last`() throws {
        try withTemporaryDirectory { folder in
            let farm = try Farm(in: folder)
            _ = try farm.subscribe(as: farm.gus.token)
            #expect(try farm.subscribe(as: farm.administrator).status == 201)
            let rows = farm.harness.core.tables.scan(ChannelRow.self)
            #expect(rows.count == 1 && rows[0].person.rawValue != farm.gus.person)
            #expect(try farm.harness.call("DELETE", "/v1/me/channels/\(rows[0].key)", as: farm.gus.token).status == 404)
            #expect(
                try farm.harness.call("DELETE", "/v1/me/channels/\(rows[0].key)", as: farm.administrator).status == 204)
            let bad = try farm.harness.call(
                "POST", "/v1/me/channels",
                "{\"endpoint\":\"https://push.example/1\",\"p256dh\":\"AAAA\",\"auth\":\"AA\"}",
                as: farm.gus.token, key: "bad")
            #expect(bad.status == 400 && bad.text.contains("P-256"))
            let user = try farm.subscribe("https://name@push.example/1", as: farm.gus.token, key: "user")
            #expect(user.status == 422)
        }
    }

    @Test func `an erased person has no channels, and the vault nothing of them`() throws {
        try withTemporaryDirectory { folder in
            let farm = try Farm(in: folder)
            _ = try farm.makeWebhook()
            _ = try farm.subscribe(as: farm.gus.token)
            #expect(
                try farm.harness.call("DELETE", "/v1/accounts/\(farm.gus.person)", as: farm.administrator).status == 204
            )
            #expect(farm.harness.core.tables.scan(ChannelRow.self).isEmpty)
            let listed = try farm.harness.call("GET", "/v1/webhooks", as: farm.administrator)
            #expect(!listed.text.contains("hooks.example"))
        }
    }

    @Test func `a channel that a stopped process left out of the journal is added at the next start`() throws {
        try withTemporaryDirectory { folder in
            let farm = try Farm(in: folder)
            let made: String = try farm.makeWebhook().json.get("channel")
            farm.harness.core.tables.remove(ChannelRow.self, made)
            try farm.harness.restart()
            #expect(farm.harness.core.tables.get(ChannelRow.self, made)?.state == .active)
        }
    }
}
