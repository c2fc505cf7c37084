import Crypto
import EventSourcing
import EventStore
import Events
import Foundation
import HTTP
import Host
import JSON
import TestKit
import Testing
import Vocabulary

@testable import SyncGateway

@Suite("Erasure of a person")
struct CanaryTests {
    @Test func `an erased person's name and e-mail address are found in no file and no event`() throws {
        try withTemporaryDirectory { folder in
            let harness = try GatewayHarness(in: folder)
            let canary = "Zuberkalka"
            let mail = "zuberkalka-mail"
            let admin = try harness.administrator(email: "\(mail)@farm.test", name: canary)
            let other = try harness.staff(.administrator, email: "other@farm.test", by: admin)
            let made = try harness.call(
                "POST", "/v1/accounts",
                "{\"name\":\"\(canary) Two\",\"email\":\"\(mail)2@farm.test\",\"password\":\"battery staple\","
                    + "\"role\":\"grower\"}", as: admin, key: "two")
            let token = try harness.signIn("\(mail)2@farm.test", "battery staple")
            for method in ["GET", "POST"] {
                _ = try harness.call(
                    method, "/v1/accounts", method == "GET" ? nil : "{\"name\":\"\(canary)\"}", as: other.token)
            }
            _ = try harness.call(
                "POST", "/v1/sessions", "{\"email\":\"\(mail)@farm.test\",\"password\":\"\(canary)\"}")
            _ = try harness.call(
                "POST", "/v1/setup",
                "{\"token\":\"t\",\"name\":\"\(canary)\",\"email\":\"\(mail)@farm.test\",\"password\":\"\(canary)\"}")
            _ = try harness.call("GET", "/v1/me", as: token)
            try harness.pass(seconds: 2 * 86_400)
            _ = try harness.call("GET", "/v1/me", as: token)
            _ = try harness.call("DELETE", "/v1/sessions/current", as: token)
            #expect(try bytes(below: folder).contains { contains($0.value, canary) }, "the canary never got in")

            for person in [
                try harness.call("GET", "/v1/me", as: admin).json.get("person", as: String.self),
                try made.json.get("person", as: String.self),
            ] {
                #expect(try harness.call("DELETE", "/v1/accounts/\(person)", as: other.token).status == 204)
                #expect(harness.core.tables.get(StaffRow.self, person)?.erased != nil)
            }
            var searched = 0
            for (name, bytes) in try bytes(below: folder) {
                #expect(!contains(bytes, canary) && !contains(bytes, mail), "\(name)")
                searched += bytes.count
            }
            for entry in try harness.journal() {
                #expect(!entry.contains(canary) && !entry.contains(mail))
                searched += entry.utf8.count
            }
            for row in harness.core.tables.scan(StaffRow.self) {
                #expect(!"\(row)".contains(canary) && !"\(row)".contains(mail))
            }
            print("canary: \(searched) bytes searched")
            #expect(searched > 4096)
            #expect(try harness.journal().count { $0.contains(PersonErased.name) } == 2)
        }
    }

    private func bytes(below folder: String) throws -> [String: Data] {
        let names = try FileManager.default.contentsOfDirectory(atPath: folder)
        return Dictionary(
            uniqueKeysWithValues: try names.map {
                ($0, try Data(contentsOf: URL(fileURLWithPath: "\(folder)/\($0)")))
            })
    }

    private func contains(_ bytes: Data, _ text: String) -> Bool {
        let folded = Data(bytes.map { (0x41...0x5A).contains($0) ? $0 | 0x20 : $0 })
        return folded.range(of: Data(text.lowercased().utf8)) != nil
    }
}
