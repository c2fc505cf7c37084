import Events
import HTTP
import Host
import TestKit
import Testing
import Vocabulary

@testable import SyncGateway

@Suite("The texts of messages")
struct MessageTextsTests {
    @Test func `values stand where the language has them, and an unknown text stays in English`() throws {
        let texts = try MessageTexts(catalogue: Array(#"{"{0} of {1}":"{1} hat {0}"}"#.utf8))
        #expect(texts("{0} of {1}", 3, "Gus") == "Gus hat 3")
        #expect(texts("{0} more", 3) == "3 more")
        #expect(texts("Why: {0}, {1}", "{1}", "{0}") == "Why: {1}, {0}")
        #expect(throws: (any Error).self) { try MessageTexts(catalogue: Array("[]".utf8)) }
    }

    @Test func `a person gets letters in the language of the account`() throws {
        try withTemporaryDirectory { folder in
            let harness = try GatewayHarness(in: folder)
            let ada = try harness.administrator()
            let account = try #require(try harness.core.service.accounts.account(email: "ada@farm.test"))
            #expect(harness.core.service.texts(for: account)("Your new password") == "Your new password")
            _ = try harness.call("PUT", "/v1/me/language", #"{"language":"de"}"#, as: ada)
            let german = try #require(try harness.core.service.accounts.account(email: "ada@farm.test"))
            #expect(harness.core.service.texts(for: german)("Your new password") == "Ihr neues Passwort")
            #expect(harness.core.service.texts(for: nil)("Your new password") == "Your new password")
        }
    }
}
