import JSON
import Testing
import Wire

@testable import Console

@Suite("The sandbox payment provider")
struct SandboxStateTests {
    @Test func `the payment page shows the amount in major units, not in cents`() throws {
        var sandbox = SandboxState(chaos: nil)
        let body = #"{"payment":"p1","order":"o1","amount":{"minor":690,"currency":"USD"}}"#
        let reply = try sandbox.take("/v1/intents", RequestBody(Array(body.utf8)), key: "k1")
        let page = sandbox.describe(try JSONValue.parse(reply.body).get("id"))
        #expect(page?.words == "6.90 USD for order o1: open.")
    }

    @Test func `a refund is taken once from a payment of the order that has enough left`() throws {
        var sandbox = SandboxState(chaos: nil)
        var calls = 0
        func say(_ path: String, _ more: String) throws(Problem) -> SandboxState.Reply {
            calls += 1
            let body = #"{\#(more),"amount":{"minor":500,"currency":"EUR"}}"#
            return try sandbox.take(path, RequestBody(Array(body.utf8)), key: "k\(calls)")
        }
        func refund(_ more: String) -> Int {
            do throws(Problem) {
                return try say("/v1/refunds", more).status
            } catch {
                return error.status
            }
        }
        let orders = 30
        for number in 0..<orders {
            let order = #""order":"o\#(number)""#
            for payment in ["a", "b"] {
                let reply = try say("/v1/intents", #""payment":"\#(payment)\#(number)",\#(order)"#)
                sandbox.choose(try JSONValue.parse(reply.body).get("id"), isApproved: true)
            }
            let answers = ["r1", "r1", "r2", "r3"].map { refund(#""refund":"\#($0)",\#(order)"#) }
            #expect(answers == [201, 409, 201, 409], "order \(number)")
        }
        print("refunds: \(orders) orders that were paid twice")
    }
}
