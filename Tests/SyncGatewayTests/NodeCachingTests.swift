import HTTP
import Testing

@testable import SyncGateway

@Suite("What nodes may store")
struct NodeCachingTests {
    private func field(
        _ path: String, method: String = "GET", status: Int = 200, control: String = "no-store",
        _ headers: HTTPHeaders = [:]
    ) -> String? {
        var response = HTTPResponse(status: status, headers: ["Cache-Control": control])
        NodeCaching.add(
            to: &response, for: HTTPRequest(method: method, target: path, path: path, headers: headers))
        return response.headers["Furrow-Cache-Control"]
    }

    @Test func `nodes may store exactly the public reads, and no stream`() {
        var counts = (public: 0, other: 0)
        for route in Routes.all {
            let segments = route.path.segments.map { segment in
                if case .word(let word) = segment { word } else { "x" }
            }
            let path = "/" + segments.joined(separator: "/")
            let isLive = if case .own(.pullLive) = route.duty { true } else { false }
            let isPublic = route.access == .everyone && !route.method.isMutation && !isLive
            #expect((field(path, method: route.method.rawValue) != nil) == isPublic, "\(route.method) \(path)")
            if isPublic { counts.public += 1 } else { counts.other += 1 }
        }
        print("nodes may store \(counts.public) routes, and not \(counts.other)")
        #expect(counts.public >= 12 && counts.other > 100)
    }

    @Test func `a response to a person, a refusal and a picture do not get the field`() {
        #expect(field("/v1/sync") == NodeCaching.value && field("/v1/sync", status: 304) != nil)
        #expect(field("/v1/sync", ["Authorization": "Bearer t"]) == nil)
        #expect(field("/v1/sync", ["Cookie": "furrow_session=t"]) == nil)
        #expect(field("/v1/sync", ["Cookie": "other=t"]) != nil)
        for status in [201, 202, 401, 404, 429, 503] { #expect(field("/v1/sync", status: status) == nil) }
        #expect(field("/media/x", control: "public, max-age=31536000, immutable") == nil)
    }
}
