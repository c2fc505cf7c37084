import HTTP
import Testing
import Wire

@testable import ProxyNode
@testable import Sharing

@Suite("What a node does with a request")
struct NodeRequestTests {
    private let farm = "https://farm.example"

    private func kind(
        _ target: String, _ query: [(name: String, value: String)] = [], method: String = "GET",
        headers: HTTPHeaders = [:]
    ) -> NodeRequest {
        NodeRequest(
            HTTPRequest(method: method, target: target, path: target, query: query, headers: headers), of: farm)
    }

    @Test func `reading is fetched, by the address as it was sent`() {
        #expect(kind("/farms/%C3%A4") == .fetch(CacheKey(farm: farm, target: "/farms/%C3%A4", isPage: false)))
        let query = [(name: "name", value: "a b&c"), (name: "ä", value: "")]
        #expect(
            kind("/v1/sync", query)
                == .fetch(CacheKey(farm: farm, target: "/v1/sync?name=a%20b%26c&%C3%A4=", isPage: false)))
    }

    @Test func `a browser that opens a page has an entry of its own`() {
        let page = kind("/", headers: ["Accept": "text/html,application/xhtml+xml"])
        #expect(page == .fetch(CacheKey(farm: farm, target: "/", isPage: true)))
    }

    @Test(arguments: ["POST", "PUT", "DELETE", "PATCH", "OPTIONS", "CONNECT"])
    func `changes are left to the farm`(method: String) {
        #expect(kind("/v1/sessions", method: method) == .farmOnly)
    }

    @Test func `a request with a token is left to the farm, and a cookie is never looked at`() {
        #expect(kind("/v1/me", headers: ["Authorization": "Bearer t"]) == .farmOnly)
        #expect(
            kind("/v1/me", headers: ["Cookie": "furrow=t"])
                == .fetch(CacheKey(farm: farm, target: "/v1/me", isPage: false)))
    }

    @Test func `addresses that are too long or of another host are refused`() {
        #expect(kind("/" + String(repeating: "a", count: SharingLimits.targetBytes)) == .unusable)
        #expect(kind("//other.example/") == .unusable)
        #expect(kind("*") == .unusable)
    }

    @Test func `the node's own paths and the live stream are not fetched`() {
        #expect(kind("/.well-known/furrow-node") == .node(""))
        #expect(kind("/.well-known/furrow-node/index") == .node("/index"))
        #expect(kind("/.well-known/furrow-nodes") != .node("s"))
        #expect(kind("/v1/sync/live") == .live)
    }

    @Test func `of another web site, pages are read and nothing else, whatever their addresses mean at a farm`() {
        func kind(_ method: String, _ path: String, _ headers: HTTPHeaders = [:]) -> NodeRequest {
            let request = HTTPRequest(method: method, target: path, path: path, headers: headers)
            return NodeRequest(request, of: "https://news.example", isSite: true)
        }
        let sealed: HTTPHeaders = ["Content-Type": ObliviousHTTP.requestType]
        #expect(kind("POST", ObliviousHTTP.path, sealed) == .farmOnly && kind("POST", "/") == .farmOnly)
        #expect(kind("GET", "/", ["Authorization": "Bearer t"]) == .farmOnly)
        let live = CacheKey(farm: "https://news.example", target: "/v1/sync/live", isPage: false)
        #expect(kind("GET", "/v1/sync/live") == .fetch(live))
    }

    @Test func `a site's response keeps its own policy, loses what outlasts a page, and stays at the node`() {
        let site = "https://news.example"
        let response = HTTPResponse(
            status: 301,
            headers: [
                "Location": "\(site)/a?b", "Content-Security-Policy": "img-src *", "Clear-Site-Data": "*",
                "Cache-Control": "private, max-age=5",
            ], body: [])
        let shown = SiteResponse.sandboxed(response, of: site)
        #expect(shown.headers["Location"] == "/a?b" && shown.headers["Clear-Site-Data"] == nil)
        #expect(shown.headers["Content-Security-Policy"] == "img-src *, sandbox allow-scripts allow-popups")
        #expect(shown.headers["Cache-Control"] == "no-store")
        var other = response
        other.headers["Location"] = "https://news.example.evil/"
        #expect(SiteResponse.sandboxed(other, of: site).headers["Location"] == "https://news.example.evil/")
    }

    @Test func `a picture that is not what its address names is not stored`() {
        let digest = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
        #expect(MediaName.isRight("/media/\(digest)", Array("abc".utf8)))
        #expect(!MediaName.isRight("/media/\(digest)", Array("abd".utf8)))
        #expect(!MediaName.isRight("/media/abc", Array("abc".utf8)))
        #expect(MediaName.isRight("/assets/x", []))
    }

    @Test func `a farm that is away is tried once after each pause`() {
        var link = FarmLink()
        #expect(link.mayTry(at: 0) && link.isReachable)
        let isNews = link.fail("no route", at: 0, real: 5)
        #expect(isNews && !link.isReachable && link.since == 5 && link.reason == "no route")
        #expect(!link.mayTry(at: 100_000) && link.mayTry(at: SharingLimits.pauseMicroseconds))
        link.begin()
        #expect(!link.mayTry(at: SharingLimits.pauseMicroseconds))
        let isNewsAgain = link.fail("no route", at: SharingLimits.pauseMicroseconds, real: 6)
        #expect(!isNewsAgain && link.since == 5)
        let isReached = link.succeed(real: 7)
        #expect(isReached && link.isReachable && link.since == 7 && link.reason == nil)
        let isReachedAgain = link.succeed(real: 8)
        #expect(!isReachedAgain)
    }
}
