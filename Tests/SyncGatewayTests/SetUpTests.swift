import EventSourcing
import Events
import HTTP
import Host
import JSON
import TestKit
import Testing

@testable import SyncGateway

@Suite("The set-up link")
struct SetUpTests {
    private func claim(_ token: String, _ email: String) -> String {
        "{\"token\":\"\(token)\",\"name\":\"Ada\",\"email\":\"\(email)\",\"password\":\"correct horse\"}"
    }

    @Test func `a set-up link admits exactly one of fifty concurrent requests`() throws {
        try withTemporaryDirectory { folder in
            let harness = try GatewayHarness(in: folder)
            let token = try harness.setupToken()
            let ids = try (0..<50).map { number in
                try harness.send("POST", "/v1/setup", claim(token, "a\(number)@farm.test"), key: "k\(number)")
            }
            try harness.work()
            let statuses = try ids.map { try harness.response($0).status }
            #expect(statuses.count { $0 == 201 } == 1)
            #expect(statuses.count { $0 == 410 } == 49)
            #expect(try harness.journal().count { $0.contains(StaffEnrolled.name) } == 1)
            let cookie = try #require(harness.response(ids[0]).headers.all("Set-Cookie").last)
            #expect(cookie.contains("HttpOnly") && cookie.contains("SameSite=Strict") && cookie.contains("Path=/;"))
            #expect(!cookie.contains("Secure"))
            let me = try harness.call("GET", "/v1/me", headers: [("Cookie", "a=b; \(cookie.prefix { $0 != ";" })")])
            #expect(try me.json.get("role", as: Role.self) == .administrator)
            #expect(try me.json.get("email", as: String.self) == "a0@farm.test")
        }
    }

    @Test func `only the newest set-up link is valid, for fifteen minutes`() throws {
        try withTemporaryDirectory { folder in
            let harness = try GatewayHarness(in: folder)
            let first = try harness.setupToken()
            let second = try harness.setupToken()
            #expect(try harness.call("POST", "/v1/setup", claim(first, "a@farm.test")).problem == "link-gone")
            try harness.pass(seconds: 901)
            #expect(try harness.call("POST", "/v1/setup", claim(second, "a@farm.test")).status == 410)
            let third = try harness.setupToken()
            try harness.pass(seconds: 899)
            try harness.restart()
            #expect(try harness.call("POST", "/v1/setup", claim(third, "a@farm.test")).status == 201)
            #expect(try harness.call("POST", "/v1/setup", claim(third, "b@farm.test")).status == 410)
        }
    }

    @Test func `only the operator can create a set-up link, and only while there is no administrator`() throws {
        try withTemporaryDirectory { folder in
            let harness = try GatewayHarness(in: folder)
            #expect(try harness.ask("setup-link", "{}", by: .service("sensor-ingest")).status == 403)
            _ = try harness.administrator()
            #expect(try harness.ask("setup-link", "{}", by: .service("console")).status == 409)
        }
    }

    @Test func `an invalid form does not consume the set-up link`() throws {
        try withTemporaryDirectory { folder in
            let harness = try GatewayHarness(in: folder)
            let token = try harness.setupToken()
            let short = "{\"token\":\"\(token)\",\"name\":\"Ada\",\"email\":\"a@farm.test\",\"password\":\"short\"}"
            #expect(try harness.call("POST", "/v1/setup", short).text.contains("password: use 10 to 256 characters."))
            #expect(try harness.call("POST", "/v1/setup", claim(token, "nobody")).problem == "malformed")
            #expect(try harness.call("POST", "/v1/setup", claim(token, "a@farm.test")).status == 201)
        }
    }

    @Test func `a new set-up link can be created if the process crashed before the account was stored`() throws {
        try withTemporaryDirectory { folder in
            let harness = try GatewayHarness(in: folder)
            let token = try harness.setupToken()
            try harness.send("POST", "/v1/setup", claim(token, "a@farm.test"))
            harness.jobs.removeAll()
            try harness.restart()
            #expect(try harness.call("POST", "/v1/setup", claim(token, "a@farm.test")).status == 410)
            let next = try harness.setupToken()
            #expect(try harness.call("POST", "/v1/setup", claim(next, "a@farm.test")).status == 201)
        }
    }
}
