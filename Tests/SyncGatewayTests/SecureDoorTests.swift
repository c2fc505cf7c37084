import HTTP
import TestKit
import Testing

@testable import SyncGateway

@Suite("The plain and the TLS listener")
struct SecureDoorTests {
    @Test func `the plain and the TLS listener each sign people in with a cookie of their own`() throws {
        try withTemporaryDirectory { folder in
            let harness = try GatewayHarness(in: folder)
            _ = try harness.administrator()
            let form = "{\"email\":\"ada@farm.test\",\"password\":\"correct horse\"}"
            let plain = try harness.call("POST", "/v1/sessions", form, key: "a")
            let secure = try harness.call("POST", "/v1/sessions", form, key: "b", isSecure: true)
            let plainCookie = try #require(plain.headers.all("Set-Cookie").last)
            let secureCookie = try #require(secure.headers.all("Set-Cookie").last)
            #expect(plainCookie.hasPrefix("furrow_session=") && !plainCookie.contains("Secure"))
            #expect(secureCookie.hasPrefix("__Host-furrow_session=") && secureCookie.hasSuffix("; Secure"))
            for cookie in [plainCookie, secureCookie] {
                #expect(cookie.contains("; Path=/; Max-Age=2592000; HttpOnly; SameSite=Strict"))
                #expect(!cookie.contains("Domain"))
            }
            let pairs = [plainCookie, secureCookie].map { String($0.prefix { $0 != ";" }) }
            // A browser sends only the plain cookie to the plain listener, and both cookies to the TLS listener.
            let asked: [(cookie: String, isSecure: Bool, status: Int)] = [
                (pairs[0], false, 200), (pairs[1], true, 200), (pairs.joined(separator: "; "), true, 200),
                (pairs[0], true, 401), (pairs[1], false, 401), ("", true, 401),
            ]
            for (cookie, isSecure, status) in asked {
                let response = try harness.call("GET", "/v1/me", headers: [("Cookie", cookie)], isSecure: isSecure)
                #expect(response.status == status, "\(cookie.prefix(24)) \(isSecure)")
            }
            let left = try harness.call(
                "DELETE", "/v1/sessions/current", key: "c", headers: [("Cookie", pairs[1])], isSecure: true)
            #expect(left.status == 204)
            #expect(left.headers["Set-Cookie"]?.hasPrefix("__Host-furrow_session=; Path=/; Max-Age=0;") == true)
            #expect(try harness.call("GET", "/v1/me", headers: [("Cookie", pairs[1])], isSecure: true).status == 401)
            #expect(try harness.call("GET", "/v1/me", headers: [("Cookie", pairs[0])]).status == 200)
        }
    }

    @Test func `a response requires TLS in future only for a host that the browser can reach with TLS`() throws {
        try withTemporaryDirectory { folder in
            let harness = try GatewayHarness(in: folder)
            let asked: [(host: String?, isSecure: Bool, isTold: Bool)] = [
                ("farm.test", true, true), (nil, true, true), ("127.0.0.1:8443", true, true),
                ("[::1]:8443", true, true), ("farm.test:8443", true, false), ("localhost:8443", true, false),
                ("farm.test", false, false), ("127.0.0.1:8080", false, false), (nil, false, false),
            ]
            for (host, isSecure, isTold) in asked {
                let headers = host.map { [("Host", $0)] } ?? []
                let told = try harness.call("GET", "/v1/me", headers: headers, isSecure: isSecure)
                    .headers["Strict-Transport-Security"]
                #expect((told != nil) == isTold, "\(host ?? "none") \(isSecure)")
            }
        }
    }

    @Test func `a page loaded without TLS cannot change anything over TLS`() throws {
        try withTemporaryDirectory { folder in
            let harness = try GatewayHarness(in: folder, demoToken: "demo")
            let farm = "{\"farm\":\"f\",\"title\":\"F\",\"zone\":\"UTC\"}"
            let plain = [("Host", "farm.test"), ("Origin", "http://farm.test")]
            let response = try harness.call("POST", "/v1/farms", farm, as: "demo", headers: plain, isSecure: true)
            #expect(try response.problem == "foreign-origin")
            #expect(harness.asks.isEmpty)
            let secure = [("Host", "farm.test"), ("Origin", "https://farm.test")]
            try harness.send("POST", "/v1/farms", farm, as: "demo", headers: secure, isSecure: true)
            // A proxy in front of the plain listener may terminate TLS.
            try harness.send("POST", "/v1/farms", farm, as: "demo", key: "k2", headers: secure)
            #expect(harness.asks.count == 2)
        }
    }
}
