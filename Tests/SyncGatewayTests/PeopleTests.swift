import EventSourcing
import EventStore
import Events
import HTTP
import Host
import JSON
import TestKit
import Testing
import Vault
import Vocabulary

@testable import SyncGateway

@Suite("Accounts")
struct PeopleTests {
    private let farmer =
        "{\"name\":\"Grace\",\"email\":\"Grace@Farm.test\",\"password\":\"battery staple\",\"role\":\"grower\"}"

    @Test func `an account is created once per idempotency key`() throws {
        try withTemporaryDirectory { folder in
            let harness = try GatewayHarness(in: folder)
            let admin = try harness.administrator()
            let first = try harness.call("POST", "/v1/accounts", farmer, as: admin, key: "g")
            let again = try harness.call("POST", "/v1/accounts", farmer, as: admin, key: "g")
            #expect(first.status == 201)
            #expect(first.text == again.text)
            let other = farmer.replacing("Grace@", with: "Joan@")
            #expect(try harness.call("POST", "/v1/accounts", other, as: admin, key: "g").problem == "key-reused")
            #expect(try harness.call("POST", "/v1/accounts", farmer, as: admin, key: "h").problem == "email-taken")
            let list = try harness.call("GET", "/v1/accounts", as: admin).json
            #expect(list["items"]?.array?.count == 2)
            #expect(list["next"]?.isNull == true)
            let enrolled = try harness.journal().filter { $0.contains(StaffEnrolled.name) }
            #expect(enrolled.count == 2)
            #expect(enrolled.allSatisfy { !$0.contains("Grace") && !$0.contains("farm.test") })
        }
    }

    @Test func `a sign-in needs the account's password, and ignores the case of the e-mail address`() throws {
        try withTemporaryDirectory { folder in
            let harness = try GatewayHarness(in: folder)
            let admin = try harness.administrator()
            _ = try harness.call("POST", "/v1/accounts", farmer, as: admin, key: "g")
            let wrong = try harness.call(
                "POST", "/v1/sessions", "{\"email\":\"grace@farm.test\",\"password\":\"battery stable\"}")
            let unknown = try harness.call(
                "POST", "/v1/sessions", "{\"email\":\"nobody@farm.test\",\"password\":\"battery staple\"}")
            #expect(wrong.status == 401 && wrong.text == unknown.text)
            #expect(wrong.headers["Set-Cookie"] == nil)
            let token = try harness.signIn("GRACE@farm.TEST", "battery staple")
            #expect(try harness.call("GET", "/v1/me", as: token).json.get("name", as: String.self) == "Grace")
        }
    }

    @Test func `a session ends after thirty days without use, or by signing out`() throws {
        try withTemporaryDirectory { folder in
            let harness = try GatewayHarness(in: folder)
            let token = try harness.administrator()
            for _ in 0..<3 {
                try harness.pass(seconds: 29 * 86_400)
                #expect(try harness.call("GET", "/v1/me", as: token).status == 200)
            }
            let out = try harness.call("DELETE", "/v1/sessions/current", as: token)
            #expect(out.status == 204)
            #expect(out.headers["Set-Cookie"]?.contains("Max-Age=0") == true)
            #expect(try harness.call("GET", "/v1/me", as: token).status == 401)
            let second = try harness.signIn("ada@farm.test", "correct horse")
            try harness.pass(seconds: 30 * 86_400 + 1)
            #expect(try harness.call("GET", "/v1/me", as: second).problem == "not-signed-in")
        }
    }

    @Test func `the account of the last administrator cannot be erased`() throws {
        try withTemporaryDirectory { folder in
            let harness = try GatewayHarness(in: folder)
            let admin = try harness.administrator()
            let person: String = try harness.call("GET", "/v1/me", as: admin).json.get("person")
            #expect(
                try harness.call("DELETE", "/v1/accounts/\(person)", as: admin).problem == "last-administrator")
            let second = try harness.staff(.administrator, email: "b@farm.test", by: admin)
            #expect(try harness.call("DELETE", "/v1/accounts/\(person)", as: second.token).status == 204)
            #expect(try harness.call("DELETE", "/v1/accounts/\(person)", as: second.token).status == 204)
            #expect(try harness.call("GET", "/v1/me", as: admin).status == 401)
            #expect(
                try harness.call("DELETE", "/v1/accounts/\(second.person)", as: second.token).problem
                    == "last-administrator")
            #expect(try harness.call("DELETE", "/v1/accounts/nobody", as: second.token).status == 425)
            try harness.pass(seconds: 3)
            #expect(try harness.call("DELETE", "/v1/accounts/nobody", as: second.token).status == 404)
            #expect(try harness.journal().count { $0.contains(PersonErased.name) } == 1)
        }
    }

    @Test func `a buyer of imported orders can be erased without having an account`() throws {
        try withTemporaryDirectory { folder in
            let harness = try GatewayHarness(in: folder)
            let admin = try harness.administrator()
            let person = "0191d9a2-7cde-7cc3-98c4-dc0c0c07398f"
            let grower = try harness.staff(.grower, email: "g@farm.test", by: admin)
            #expect(try harness.call("DELETE", "/v1/accounts/\(person)", as: grower.token).status == 403)
            // An imported order of that buyer may not have arrived yet; after a while the number is treated as
            // mistyped.
            let early = try harness.call("DELETE", "/v1/accounts/\(person)", as: admin)
            #expect(try early.problem == "not-here-yet" && early.status == 425 && early.headers["Retry-After"] == "1")
            try harness.pass(seconds: 3)
            #expect(try harness.call("DELETE", "/v1/accounts/\(person)", as: admin).problem == "unknown-account")
            Hub(harness).tell([
                .orders(.orderImported(OrderImported(order: OrderID("o1"), buyer: PersonID(person), lines: [])))
            ])
            for _ in 0..<2 { #expect(try harness.call("DELETE", "/v1/accounts/\(person)", as: admin).status == 204) }
            let told = try harness.journal().filter { $0.contains(PersonErased.name) }
            #expect(told.count == 1 && told.first?.contains(person) == true)
            #expect(try harness.call("DELETE", "/v1/accounts/anna-huber", as: admin).problem == "not-here-yet")
        }
    }

    @Test func `an account that is missing in the journal is recorded after a restart`() throws {
        try withTemporaryDirectory { folder in
            let person = PersonID("00000000-0000-4000-8000-000000000001")
            do {
                let vault = try Vault(path: "\(folder)/\(Vault.fileName)")
                try Accounts(vault).keep(
                    Account(
                        person: person, name: "Lost", email: "l@farm.test", role: .auditor, hash: "x",
                        since: GatewayHarness.start))
            }
            let harness = try GatewayHarness(in: folder)
            #expect(try harness.journal().count { $0.contains(StaffEnrolled.name) } == 1)
            try harness.restart()
            #expect(try harness.journal().count { $0.contains(StaffEnrolled.name) } == 1)
            #expect(harness.core.tables.get(StaffRow.self, person.rawValue)?.role == .auditor)
        }
    }

    @Test func `the demonstration's token works without an account in the vault`() throws {
        try withTemporaryDirectory { folder in
            let harness = try GatewayHarness(in: folder, demoToken: "d3m0")
            #expect(try harness.call("GET", "/v1/me", as: "d3m0").json.get("role", as: Role.self) == .administrator)
            #expect(try harness.call("GET", "/v1/me", as: "d3m1").status == 401)
            #expect(try harness.call("GET", "/v1/me", headers: [("Authorization", "Basic d3m0")]).status == 401)
        }
    }
}
