import EventSourcing
import Events
import HTTP
import Host
import JSON
import TestKit
import Testing
import Vocabulary

@testable import SyncGateway

@Suite("Passwords, sessions and the audit log")
struct PasswordTests {
    @Test func `changing a password needs the old one and ends the other sessions`() throws {
        try withTemporaryDirectory { folder in
            let harness = try GatewayHarness(in: folder)
            let here = try harness.administrator()
            let there = try harness.signIn("ada@farm.test", "correct horse")
            let wrong = "{\"old\":\"not it at all\",\"password\":\"seven green tractors\"}"
            #expect(try harness.call("PUT", "/v1/me/password", wrong, as: here).problem == "wrong-password")
            let right = wrong.replacing("not it at all", with: "correct horse")
            #expect(try harness.call("PUT", "/v1/me/password", right, as: here).status == 204)
            #expect(try harness.call("GET", "/v1/me", as: here).status == 200)
            #expect(try harness.call("GET", "/v1/me", as: there).status == 401)
            _ = try harness.signIn("ada@farm.test", "seven green tractors")
        }
    }

    @Test func `the operator's link sets a new password once within an hour, even for the only administrator`() throws {
        try withTemporaryDirectory { folder in
            let harness = try GatewayHarness(in: folder)
            let old = try harness.administrator()
            let email = "{\"email\":\"Ada@farm.test\"}"
            #expect(try harness.ask("user-reset", email, by: .service("sensor-ingest")).status == 403)
            #expect(try harness.ask("user-reset", "{\"email\":\"x@y.z\"}", by: .service("console")).status == 404)
            func link() throws -> String {
                try JSONValue.parse(harness.ask("user-reset", email, by: .service("console")).body).get("token")
            }
            func redeem(_ token: String, _ password: String) throws -> HTTPResponse {
                try harness.call(
                    "POST", "/v1/password-resets/redeem", "{\"token\":\"\(token)\",\"password\":\"\(password)\"}")
            }
            let late = try link()
            try harness.pass(seconds: 3601)
            #expect(try redeem(late, "seven green tractors").problem == "link-gone")
            let token = try link()
            #expect(try redeem(token, "Password123!").text.contains("password: This is too easy to guess"))
            #expect(try redeem(token, "seven green tractors").status == 201)
            #expect(try redeem(token, "eight green tractors").problem == "link-gone")
            #expect(try harness.call("GET", "/v1/me", as: old).status == 401)
            #expect(try !harness.journal().contains { $0.contains("farm.test") || $0.contains(token) })
        }
    }

    @Test func `a reset request gets the same response whether or not the account exists`() throws {
        try withTemporaryDirectory { folder in
            let harness = try GatewayHarness(in: folder, mail: true)
            _ = try harness.administrator()
            let known = try harness.call("POST", "/v1/password-resets", "{\"email\":\"ada@farm.test\"}")
            let unknown = try harness.call("POST", "/v1/password-resets", "{\"email\":\"eve@farm.test\"}")
            #expect(known.status == 200 && known.text == unknown.text)
            for _ in 0..<18 { _ = try harness.call("POST", "/v1/password-resets", "{\"email\":\"eve@farm.test\"}") }
            #expect(try harness.call("POST", "/v1/password-resets", "{\"email\":\"eve@farm.test\"}").status == 429)
        }
    }

    @Test func `a person sees and ends their own sessions`() throws {
        try withTemporaryDirectory { folder in
            let harness = try GatewayHarness(in: folder)
            let here = try harness.administrator()
            let other = try harness.signIn("ada@farm.test", "correct horse")
            let items = try #require(try harness.call("GET", "/v1/me/sessions", as: here).json["items"]?.array)
            #expect(items.count == 2)
            let foreign = try #require(try items.first { try !$0.get("current", as: Bool.self) })
            let name: String = try foreign.get("session")
            let buyer = try harness.buyer(email: "b@buyers.test")
            #expect(try harness.call("DELETE", "/v1/me/sessions/\(name)", as: buyer.token).status == 404)
            #expect(try harness.call("DELETE", "/v1/me/sessions/\(name)", as: here).status == 204)
            #expect(try harness.call("GET", "/v1/me", as: other).status == 401)
            #expect(try harness.call("DELETE", "/v1/me/sessions", as: here).status == 204)
            #expect(try harness.call("GET", "/v1/me", as: here).status == 401)
        }
    }

    @Test func `common passwords are refused and others are not`() {
        let common = [
            "1234567890", "password12", "aaaaaaaaaa", "Password123!", "qwertyuiop", "P@ssw0rd2024", "letmein1234",
            "abcdefghij", "0987654321", "welcome2026", "administrator", "1q2w3e4r5t", "iloveyou123", "abcabcabcabc",
            "adalovelace", "2468013579", "asdfghjkl1", "qwerty12345", "northfield26",
        ]
        let good = [
            "correct horse", "battery staple", "a long password", "seven green tractors", "correct horse battery",
            "Secret-a1b2c3d4e5", "Pass-5f0c2a9e8b7d", "kq8vZt1mXw", "purple wheelbarrow 7",
        ]
        let own = ["Ada Lovelace", "ada@farm.test", "North Field", "farm"]
        let passed = common.filter { PasswordRules.fault($0, own: own) == nil }
        let refused = good.filter { PasswordRules.fault($0, own: own) != nil }
        print("common passwords refused: \(common.count - passed.count) of \(common.count)")
        #expect(passed.isEmpty && refused.isEmpty, "passed \(passed), refused \(refused)")
    }

    @Test func `a password made of the farm's name is refused, whether the farm has a page or not`() throws {
        try withTemporaryDirectory { folder in
            let harness = try GatewayHarness(in: folder)
            let admin = try harness.administrator()
            func enrol(_ password: String, _ email: String) throws -> HTTPResponse {
                let person = "\"name\":\"Wim\",\"email\":\"\(email)\",\"role\":\"grower\""
                let body = "{\(person),\"password\":\"\(password)\"}"
                return try harness.call("POST", "/v1/accounts", body, as: admin, key: email)
            }
            #expect(try enrol("sonnhof2026", "a@farm.test").status == 201)
            let hub = Hub(harness)
            hub.tell([.trace(.farmFounded(FarmFounded(title: "Sonnhof", zone: "Europe/Vienna")))])
            #expect(try enrol("sonnhof2026", "b@farm.test").problem == "easy-password")
        }
    }

    @Test func `the audit log counts sign-ins and refusals by account and minute, and names no erased person`()
        throws
    {
        try withTemporaryDirectory { folder in
            let harness = try GatewayHarness(in: folder)
            let admin = try harness.administrator()
            let buyer = try harness.buyer(email: "b@buyers.test")
            for _ in 0..<50 {
                let id = try harness.send("POST", "/v1/sessions", "{\"email\":\"ada@farm.test\",\"password\":\"x\"}")
                try harness.refuseNextPassword(id)
            }
            _ = try harness.signIn("b@buyers.test", "battery staple")
            try harness.tick(Int(GatewayLimits.countingTicks))
            let counted = try harness.journal().filter { $0.contains(SignInsCounted.name) }
            print("events of 51 sign-ins: \(counted.count)")
            #expect((1...10).contains(counted.count))
            let log = try harness.call("GET", "/v1/audit-log", as: admin)
            #expect(log.text.contains("sign-in-refused") && log.text.contains("\"name\":\"Wilma\""))
            #expect(try harness.call("GET", "/v1/audit-log", as: buyer.token).status == 403)
            #expect(try harness.call("DELETE", "/v1/me", as: buyer.token).status == 204)
            #expect(try !harness.call("GET", "/v1/audit-log", as: admin).text.contains("Wilma"))
            #expect(try harness.ask("audit-log", "{}", by: .service("console")).status == 200)
        }
    }
}
