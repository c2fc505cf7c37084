import HTTP
import Testing

@testable import Sharing

@Suite("How long a node may use a response")
struct CacheRulesTests {
    private func directives(_ fields: (String, String)...) -> CacheDirectives { CacheDirectives(HTTPHeaders(fields)) }

    @Test func `the field for nodes wins over the one for CDNs, and that one over the general one`() {
        let general = ("Cache-Control", "no-store")
        let cdn = ("CDN-Cache-Control", "max-age=60")
        let node = ("Furrow-Cache-Control", "max-age=5, stale-while-revalidate=60, stale-if-error=600")
        #expect(directives(general).isStorable == false)
        #expect(directives(general, cdn).maxAge == 60)
        let all = directives(general, cdn, node)
        #expect(all.isStorable)
        #expect((all.maxAge, all.staleWhileRevalidate, all.staleIfError) == (5, 60, 600))
    }

    @Test(arguments: ["max-age=5 60", "=5", "max-age=\"5", "ä"])
    func `a malformed targeted field is ignored as a whole`(text: String) {
        let read = directives(("Furrow-Cache-Control", text), ("Cache-Control", "max-age=7"))
        #expect(read.maxAge == 7)
    }

    @Test(arguments: [
        ("no-store", false), ("private", false), ("private=\"X-Name\"", false), ("max-age=5, NO-STORE", false),
        ("public, max-age=5", true), ("", true),
    ])
    func `what only one person may have is not stored`(text: String, isStorable: Bool) {
        #expect(directives(("Cache-Control", text)).isStorable == isStorable)
    }

    @Test func `a response that sets a cookie or varies by everything is not stored`() {
        #expect(!directives(("Cache-Control", "max-age=5"), ("Set-Cookie", "a=b")).isStorable)
        #expect(!directives(("Cache-Control", "max-age=5"), ("Vary", "Accept, *")).isStorable)
        #expect(directives(("Cache-Control", "max-age=5"), ("Vary", "Accept")).isStorable)
    }

    @Test(arguments: [
        ("max-age=5, s-maxage=9", 9), ("max-age=x", 0), ("max-age=-1", 0), ("max-age=", 0), ("max-age=\"8\"", 8),
        ("max-age=5, no-cache", 0), ("max-age=99999999999999999999", 315_360_000), ("max-age=1, max-age=2", 2),
    ])
    func `a duration that cannot be read means stale`(text: String, seconds: Int) {
        #expect(directives(("Cache-Control", text)).maxAge == seconds)
    }

    @Test func `a response that names no time may be used without its farm, unless that is forbidden`() {
        #expect(directives().staleIfError == SharingLimits.staleSeconds)
        #expect(directives(("Cache-Control", "max-age=5")).staleIfError == SharingLimits.staleSeconds)
        for strict in ["no-cache", "must-revalidate", "proxy-revalidate", "s-maxage=5"] {
            #expect(directives(("Cache-Control", strict)).staleIfError == 0)
        }
        #expect(directives(("Cache-Control", "no-cache, stale-if-error=60")).staleIfError == 60)
    }

    @Test(arguments: [
        (0, ResponseFreshness.fresh), (4, .fresh), (5, .usableWhileRevalidating), (64, .usableWhileRevalidating),
        (65, .usableOnError), (604, .usableOnError), (605, .unusable),
    ])
    func `a response becomes stale, then usable on errors, then unusable`(age: Int, freshness: ResponseFreshness) {
        let read = directives(
            ("Furrow-Cache-Control", "max-age=5, stale-while-revalidate=60, stale-if-error=600"))
        #expect(ResponseFreshness(read, age: age) == freshness)
    }

    @Test func `a response from before the clock was set back is used only without the farm`() {
        let response = StoredResponse(
            headers: ["Cache-Control": "max-age=60"], body: [], receivedAt: 1_000_000_000_000)
        #expect(response.freshness(at: 1_000_000_000_000) == .fresh)
        #expect(response.age(at: 900_000_000_000) == nil)
        #expect(response.freshness(at: 900_000_000_000) == .usableOnError)
    }

    @Test func `the age of a response continues from the node that it came through`() {
        let response = StoredResponse(
            headers: ["Cache-Control": "max-age=60", "Age": "50"], body: [], receivedAt: 1_000_000)
        #expect(response.age(at: 6_000_000) == 55 && response.freshness(at: 6_000_000) == .fresh)
        #expect(response.freshness(at: 12_000_000) == .usableOnError)
    }

    @Test(arguments: [("-1", 0), ("x", 0), ("", 0), ("9223372036854775807", CacheDirectives.longestSeconds)])
    func `an age that is impossible is none or the longest`(text: String, seconds: Int) {
        let response = StoredResponse(headers: ["Age": text], body: [], receivedAt: 0)
        #expect(response.age(at: 0) == seconds && response.age(at: .max) ?? 0 > seconds)
    }

    @Test func `a confirmed response has the new fields, and its own body and type`() {
        let stored = StoredResponse(
            headers: ["Content-Type": "text/css", "ETag": "\"a\"", "Age": "9"], body: [1], receivedAt: 0)
        let confirmed = stored.confirmed(
            by: ["Content-Type": "text/html", "Furrow-Cache-Control": "max-age=5"], at: 1_000_000)
        #expect(confirmed.headers["Content-Type"] == "text/css" && confirmed.headers["ETag"] == "\"a\"")
        #expect(confirmed.directives.maxAge == 5 && confirmed.age(at: 2_000_000) == 1 && confirmed.body == [1])
    }

    @Test func `cookies, the demand of TLS and fields of the connection are not passed on`() {
        let headers: HTTPHeaders = [
            "Set-Cookie": "session=1", "Strict-Transport-Security": "max-age=1", "Connection": "close",
            "Transfer-Encoding": "chunked", "Content-Type": "text/css", "Content-Security-Policy": "x",
        ]
        #expect(headers.passedOn.fields.map(\.name) == ["Content-Type", "Content-Security-Policy"])
    }
}
