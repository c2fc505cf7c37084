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

@Suite("Forwarded requests")
struct ForwardingTests {
    private static let farm = "{\"farm\":\"f\",\"title\":\"F\",\"zone\":\"UTC\"}"

    @Test func `a forwarded request carries the body, the path parameters, the actor and the idempotency key`() throws {
        try withTemporaryDirectory { folder in
            let harness = try GatewayHarness(in: folder)
            let admin = try harness.administrator()
            let person: String = try harness.call("GET", "/v1/me", as: admin).json.get("person")
            let id = try harness.send(
                "POST", "/v1/lots/L1/splits", "{\"grams\":5,\"lot\":\"other\",\"x\":[1.5,null]}", as: admin, key: "s1",
                headers: [("Prefer", "handling=lenient")])
            let ask = try #require(harness.asks.first)
            #expect(ask.to == "trace-ledger" && ask.verb == "split-lot" && ask.key == "s1")
            #expect(ask.actor == .person(PersonID(person)))
            #expect(ask.text == "{\"grams\":5,\"x\":[1.5,null],\"lot\":\"L1\"}")
            try harness.answer(ask, 409, "{\"status\":409,\"title\":\"too-much\"}")
            let response = try harness.response(id)
            #expect(response.status == 409)
            #expect(try response.problem == "too-much")
        }
    }

    @Test func `declared query parameters become members of the forwarded request`() throws {
        try withTemporaryDirectory { folder in
            let harness = try GatewayHarness(in: folder, demoToken: "demo")
            let id = try harness.send("GET", "/v1/readings?place=plot/p1&quantity=temperature", as: "demo")
            #expect(harness.asks[0].text == "{\"place\":\"plot/p1\",\"quantity\":\"temperature\"}")
            #expect(harness.asks[0].key == nil)
            try harness.answer(harness.asks[0], 200, "{\"items\":[]}")
            #expect(try harness.response(id).headers["Content-Type"] == "application/json")
            #expect(try harness.response(id).headers["Cache-Control"] == "no-store")
            #expect(try harness.call("GET", "/v1/readings?place=plot/p1", as: "demo").problem == "malformed")
            try harness.send("PUT", "/v1/points/p9", "{\"title\":\"P\",\"place\":\"plot/p1\"}", as: "demo")
            #expect(harness.asks[1].to == "sensor-ingest/farm-0" && harness.asks[1].verb == "bind-point")
        }
    }

    @Test func `a CSV file is sent page by page, each after the one before was sent`() throws {
        try withTemporaryDirectory { folder in
            let harness = try GatewayHarness(in: folder, demoToken: "demo")
            let address = "/v1/readings?place=plot/p1&quantity=temperature"
            let id = try harness.send("GET", address, as: "demo", headers: [("Accept", "text/csv")])
            #expect(
                harness.asks[0].text == #"{"place":"plot/p1","quantity":"temperature","format":"csv"}"#)
            try harness.answer(harness.asks.removeFirst(), 200, #"{"csv":"a\r\n1\r\n","next":"2026-05-03T00:00:00Z"}"#)
            let begun = try #require(harness.bodies[id])
            #expect(begun.head.headers["Content-Type"]?.hasPrefix("text/csv") == true)
            #expect(begun.head.headers["Content-Disposition"] == "attachment; filename=\"readings.csv\"")
            #expect(begun.head.headers["X-Content-Type-Options"] == "nosniff")
            // Nothing more is requested before the client has the first piece.
            #expect(harness.asks.isEmpty)
            try harness.finish(try #require(begun.token), [1])
            #expect(harness.asks[0].text.contains(#""after":"2026-05-03T00:00:00Z""#))
            try harness.answer(harness.asks.removeFirst(), 200, #"{"csv":"2\r\n"}"#)
            let whole = try #require(harness.bodies[id])
            #expect(whole.token == nil && String(decoding: whole.head.body, as: UTF8.self) == "a\r\n1\r\n2\r\n")
        }
    }

    @Test func `a CSV file whose service fails, or whose client is gone, is broken off and not completed`() throws {
        try withTemporaryDirectory { folder in
            let harness = try GatewayHarness(in: folder, demoToken: "demo")
            let address = "/v1/readings?place=plot/p1&quantity=temperature&format=csv"
            let early = try harness.send("GET", address, as: "demo")
            try harness.answer(harness.asks.removeFirst(), 400, #"{"status":400,"title":"malformed"}"#)
            #expect(try harness.response(early).status == 400)
            for isClientGone in [false, true] {
                let id = try harness.send("GET", address, as: "demo")
                try harness.answer(harness.asks.removeFirst(), 200, #"{"csv":"a\r\n","next":"2026-05-03T00:00:00Z"}"#)
                let token = try #require(harness.bodies[id]?.token)
                try harness.finish(token, isClientGone ? [] : [1])
                if !isClientGone { try harness.leave(harness.asks.removeFirst()) }
                #expect(harness.bodies[id] == nil && harness.asks.isEmpty)
            }
        }
    }

    @Test func `a command with an unknown outcome gets 202 with a link to its status`() throws {
        try withTemporaryDirectory { folder in
            let harness = try GatewayHarness(in: folder)
            let admin = try harness.administrator()
            let id = try harness.send("POST", "/v1/farms", Self.farm, as: admin, key: "a/b%")
            let first = harness.asks.removeFirst()
            try harness.leave(first)
            let accepted = try harness.response(id)
            #expect(accepted.status == 202)
            #expect(accepted.headers["Location"] == "/v1/commands/a%2Fb%25")

            let pending = try harness.send("GET", "/v1/commands/a/b%", as: admin)
            let again = harness.asks.removeFirst()
            #expect(again.text == first.text && again.verb == first.verb && again.key == first.key)
            #expect(again.actor == first.actor && again.to == first.to)
            try harness.leave(again)
            #expect(try harness.response(pending).json.get("state", as: String.self) == "pending")

            let done = try harness.send("GET", "/v1/commands/a/b%", as: admin)
            try harness.answer(harness.asks.removeFirst(), 201, "{\"farm\":\"f\"}")
            #expect(
                try harness.response(done).text
                    == "{\"command\":\"a/b%\",\"state\":\"done\",\"status\":201,\"answer\":{\"farm\":\"f\"}}")

            let other = try harness.staff(.auditor, email: "o@farm.test", by: admin)
            #expect(try harness.call("GET", "/v1/commands/a/b%", as: other.token).status == 404)
        }
    }

    @Test func `a query without a response gets 504`() throws {
        try withTemporaryDirectory { folder in
            let harness = try GatewayHarness(in: folder, demoToken: "demo")
            let id = try harness.send("GET", "/v1/lots", as: "demo")
            try harness.leave(harness.asks[0])
            #expect(try harness.response(id).problem == "no-answer")
            #expect(try harness.response(id).status == 504)
        }
    }

    @Test func `the gateway stores a bounded number of commands with an unknown outcome`() {
        var recent = RecentCommands()
        for number in 0..<600 {
            recent.remember(
                Forwarded(
                    .ledger(.harvest), body: Array(repeating: 0, count: 10_000), actor: .service("x"),
                    key: "\(number)"))
        }
        #expect(recent.find(.service("x"), "599") != nil)
        #expect(recent.find(.service("x"), "343") == nil)
        recent.remember(
            Forwarded(
                .ledger(.harvest), body: Array(repeating: 0, count: GatewayLimits.recentBytes), actor: .service("x"),
                key: "big"
            ))
        #expect(recent.find(.service("x"), "599") == nil)
        #expect(recent.find(.service("x"), "big") != nil)
        recent.forget(.service("x"))
        #expect(recent.find(.service("x"), "big") == nil)
    }
}
