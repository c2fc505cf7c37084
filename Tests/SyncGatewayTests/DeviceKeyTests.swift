import EventSourcing
import Events
import HTTP
import Host
import JSON
import TestKit
import Testing
import Vocabulary

@testable import SyncGateway

@Suite("Keys of sensors")
struct DeviceKeyTests {
    private static let key = "231d39c1d7cc1ab1aee224cd096db932"
    private static let device = "ble:5448e68f80a5"

    private func hello(_ harness: GatewayHarness, digest: String?) throws -> JSONValue {
        let keys = digest.map { #","keys":"\#($0)""# } ?? ""
        let body = #"{"origin":"sensor-ingest/farm-0","slot":0\#(keys)}"#
        return try JSONValue.parse(try harness.ask("hello", body, by: .service("sensor-ingest")).body)
    }

    private func set(_ harness: GatewayHarness, _ key: String, of device: String = device, as token: String, id: String)
        throws -> HTTPResponse
    {
        try harness.call(
            "POST", "/v1/device-keys", #"{"device":"\#(device)","key":"\#(key)"}"#, as: token, key: id)
    }

    @Test func `a key reaches the processes that decode, and is shown to no caller`() throws {
        try withTemporaryDirectory { folder in
            let harness = try GatewayHarness(in: folder)
            let token = try harness.administrator()
            #expect(try hello(harness, digest: "")["keys"] == nil, "no keys yet")
            // As a person copies it from an app.
            let typed = "23:1D:39:C1:D7:CC:1A:B1:AE:E2:24:CD:09:6D:B9:32"
            #expect(try set(harness, typed, of: "54:48:E6:8F:80:A5", as: token, id: "a").status == 200)
            let answer = try hello(harness, digest: "")
            let keys = try answer.get("keys", as: [JSONValue].self)
            #expect(try keys.map { try $0.get("key", as: String.self) } == [Self.key])
            #expect(try keys.map { try $0.get("device", as: String.self) } == [Self.device])
            let digest: String = try answer.get("digest")
            #expect(try hello(harness, digest: digest)["keys"] == nil, "it has them")
            #expect(try hello(harness, digest: nil)["keys"] == nil, "an older version takes none")
            let listed = try harness.call("GET", "/v1/device-keys", as: token)
            #expect(try listed.json.get("items", as: [JSONValue].self).count == 1)
            let journal = try harness.journal().joined()
            #expect(journal.contains("device-key-set") && !journal.contains(Self.key))
            // After a restart the vault has it.
            try harness.restart()
            #expect(try hello(harness, digest: "").get("digest", as: String.self) == digest)
            #expect(
                try harness.call("DELETE", "/v1/device-keys/\(Self.device)", as: token, key: "d").status == 204)
            #expect(try hello(harness, digest: digest).get("keys", as: [JSONValue].self).isEmpty)
            #expect(
                try harness.call("DELETE", "/v1/device-keys/\(Self.device)", as: token, key: "e").status == 404)
        }
    }

    @Test func `what can be no key or no sensor is refused with what to do, and buyers may not enter one`() throws {
        try withTemporaryDirectory { folder in
            let harness = try GatewayHarness(in: folder)
            let token = try harness.administrator()
            for (number, (device, key)) in [
                (Self.device, "231d"), (Self.device, Self.key + "00"), (Self.device, "not hexadecimal, thirty-two"),
                ("zb:00158d0001dc126a", Self.key), ("ble:1234", Self.key),
            ].enumerated() {
                #expect(
                    try set(harness, key, of: device, as: token, id: "k\(number)").status == 422, "\(device) \(key)")
            }
            let auditor = try harness.staff(.auditor, email: "eve@farm.test", by: token).token
            #expect(try set(harness, Self.key, as: auditor, id: "x").status == 403)
        }
    }

    @Test func `the operator's command sets and removes a key`() throws {
        try withTemporaryDirectory { folder in
            let harness = try GatewayHarness(in: folder)
            let body = #"{"device":"\#(Self.device)","key":"\#(Self.key)"}"#
            #expect(try harness.ask("device-key", body, by: .service("console")).status == 200)
            #expect(try hello(harness, digest: "").get("keys", as: [JSONValue].self).count == 1)
            #expect(try harness.ask("device-key", body, by: .service("catalog-orders")).status == 403)
            let removal = #"{"device":"\#(Self.device)"}"#
            #expect(try harness.ask("device-key", removal, by: .service("console")).status == 200)
            #expect(try harness.ask("device-key", removal, by: .service("console")).status == 404)
        }
    }
}
