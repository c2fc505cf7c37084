import HTTP
import Host
import TestKit
import Testing

@testable import SyncGateway

@Suite("The language of a person's pages")
struct PageLanguageTests {
    @Test func `a chosen language is told on every device, until another one is chosen`() throws {
        try withTemporaryDirectory { folder in
            let harness = try GatewayHarness(in: folder)
            let here = try harness.administrator()
            #expect(try !harness.call("GET", "/v1/me", as: here).text.contains("language"))
            #expect(try harness.call("PUT", "/v1/me/language", #"{"language":"de"}"#, as: here).status == 204)
            let there = try harness.signIn("ada@farm.test", "correct horse")
            for device in [here, there] {
                #expect(try harness.call("GET", "/v1/me", as: device).text.contains(#""language":"de""#))
            }
            #expect(try harness.call("PUT", "/v1/me/language", #"{"language":"en"}"#, as: there).status == 204)
            #expect(try harness.call("GET", "/v1/me", as: here).text.contains(#""language":"en""#))
        }
    }

    @Test func `a language without a catalogue is refused`() throws {
        try withTemporaryDirectory { folder in
            let harness = try GatewayHarness(in: folder)
            let here = try harness.administrator()
            let response = try harness.call("PUT", "/v1/me/language", #"{"language":"xx"}"#, as: here)
            #expect(response.status == 400)
            #expect(response.text.contains("language: expected one of en, de, es"))
        }
    }
}
