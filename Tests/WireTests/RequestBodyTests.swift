import JSON
import Testing
import Vocabulary
import Wire

/// Members of bodies, as generated types read them.
@Suite("Request bodies")
struct RequestBodyTests {
    private func body(_ json: String) throws -> RequestBody { try RequestBody(Array(json.utf8)) }

    /// Returns the status and the text of a refusal; nil if `read` succeeds.
    private func refusal<Value>(_ read: @autoclosure () throws(Problem) -> Value) -> String? {
        do throws(Problem) {
            _ = try read()
            return nil
        } catch {
            return "\(error.status) \(error.detail)"
        }
    }

    @Test func `a member that changes a value stays, is removed or is set`() throws {
        let changes = try body(#"{"amount":2.5,"unit":null,"substance":""}"#)
        let amount = try changes.change("amount", try changes.optionalNumber("amount", in: 0...10))
        let unit = try changes.change("unit", try changes.optionalText("unit", limit: 20))
        let substance = try changes.change("substance", try changes.optionalText("substance"))
        let days = try changes.change("waitingDays", try changes.optionalWhole("waitingDays", in: 0...1000))
        #expect(amount == .set(2.5) && unit == .remove && substance == .remove && days == .none)
        #expect(amount.applied(to: 1) == 2.5)
        #expect(unit.applied(to: "kg") == nil)
        #expect(days.applied(to: 7) == 7 && days.applied(to: nil) == nil)
    }

    @Test func `a change outside its limits is refused with them`() throws {
        let changes = try body(#"{"waitingDays":1001}"#)
        let refused = refusal(
            try changes.change("waitingDays", try changes.optionalWhole("waitingDays", in: 0...1000)))
        #expect(refused == "400 waitingDays: 0 to 1000.")
    }

    @Test(arguments: [
        (#"{"lot":"L260503-ABC"}"#, nil), (#"{}"#, "400 lot: name the lot."),
        (#"{"lot":""}"#, "400 lot: name the lot."),
        (#"{"lot":"tomatoes"}"#, "400 lot: use up to 20 upper case letters, digits and hyphens."),
        (#"{"lot":"L/1"}"#, "400 lot: use up to 20 upper case letters, digits and hyphens."),
        (#"{"lot":"AAAAAAAAAAAAAAAAAAAAA"}"#, "400 lot: use 1 to 20 characters of text."),
    ])
    func `the number of a lot has capital letters, digits and hyphens`(json: String, expected: String?) throws {
        let body = try body(json)
        #expect(refusal(try body.lot("lot")) == expected)
    }

    @Test func `a required picture is named by its digest, in small letters`() throws {
        let digest = String(repeating: "AB", count: 32)
        #expect(try body(#"{"plan":"\#(digest)"}"#).digest("plan") == digest.lowercased())
        let (none, short) = (try body("{}"), try body(#"{"plan":"ab"}"#))
        #expect(refusal(try none.digest("plan")) == "400 plan: name the SHA-256 of a picture.")
        #expect(refusal(try short.digest("plan"))?.hasPrefix("400 plan: the SHA-256") == true)
    }
}
