import EventSourcing
import Events
import HTTP
import Host
import JSON
import TestKit
import Testing

@testable import SyncGateway

@Suite("The checks of a request")
struct DoorTests {
    @Test func `a route refuses every caller whose role lacks its rights`() throws {
        try withTemporaryDirectory { folder in
            let harness = try GatewayHarness(in: folder)
            let administrator = try harness.administrator()
            let tokens: [Role: String] = [
                .administrator: administrator,
                .grower: try harness.staff(.grower, email: "g@farm.test", by: administrator).token,
                .auditor: try harness.staff(.auditor, email: "a@farm.test", by: administrator).token,
                .buyer: try harness.buyer(email: "b@farm.test").token,
            ]
            var checked = 0
            for route in Routes.all {
                let address = Self.address(of: route)
                let body = Self.body(of: route)
                let headers = Self.headers(of: route)
                for role in [nil] + Role.allCases {
                    // Signing out or erasing the account ends the session that the next checks need.
                    if ["sign-out", "erase-me", "end-sessions"].contains(route.name), role != nil { continue }
                    let id = try harness.send(
                        route.method.rawValue, address, body, as: role.flatMap { tokens[$0] }, headers: headers)
                    let status = harness.responses[id]?.status
                    let isRefused = status == 401 || status == 403
                    switch (route.access, role) {
                    case (.everyone, _): #expect(!isRefused, "\(route.name) is public")
                    case (.radioGateway, _): #expect(status == 401, "\(route.name) is for radio gateways")
                    case (.atLeast, nil): #expect(status == 401, "\(route.name) for strangers")
                    case (.atLeast(let needed), let role?):
                        #expect(isRefused == !role.includes(needed), "\(route.name) for \(role)")
                    }
                    checked += 1
                }
            }
            print("roles: \(checked) combinations of route and caller")
            #expect(checked >= 169)
        }
    }

    @Test func `every change requires a valid idempotency key`() throws {
        try withTemporaryDirectory { folder in
            let harness = try GatewayHarness(in: folder, demoToken: "demo")
            var checked = 0
            for route in Routes.all where route.needsKey && route.access != .radioGateway {
                for key in [nil, "", "a b", String(repeating: "k", count: 201)] {
                    let response = try harness.call(
                        route.method.rawValue, Self.address(of: route), Self.body(of: route), as: "demo", key: key,
                        headers: Self.headers(of: route))
                    #expect(response.status == 400)
                    #expect(try response.problem == "idempotency-key")
                    checked += 1
                }
            }
            print("idempotency keys: \(checked) checked")
            #expect(checked >= 72)
            #expect(harness.asks.isEmpty)
        }
    }

    @Test func `an unknown path gets 404, and a wrong method gets 405 with the allowed methods`() throws {
        try withTemporaryDirectory { folder in
            let harness = try GatewayHarness(in: folder, demoToken: "demo")
            #expect(try harness.call("GET", "/v1/nothing").problem == "not-found")
            #expect(try harness.call("GET", "/v1/lots/").status == 404)
            #expect(try harness.call("GET", "/v1//lots").status == 404)
            let wrong = try harness.call("DELETE", "/v1/lots")
            #expect(wrong.status == 405)
            #expect(wrong.headers["Allow"] == "POST, GET, HEAD")
            #expect(try wrong.problem == "method")
        }
    }

    @Test func `changes are refused from pages of other sites and with media types that a form can send`() throws {
        try withTemporaryDirectory { folder in
            let harness = try GatewayHarness(in: folder, demoToken: "demo")
            let farm = "{\"farm\":\"f\",\"title\":\"F\",\"zone\":\"UTC\"}"
            let host = ("Host", "farm.test:8080")
            for origin in ["https://evil.test", "null", "http://farm.test:8081", "http://farm.test:8080.evil.test"] {
                let response = try harness.call(
                    "POST", "/v1/farms", farm, as: "demo", headers: [host, ("Origin", origin)])
                #expect(try response.problem == "foreign-origin", "\(origin)")
            }
            for type in ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data", ""] {
                let response = try harness.call(
                    "POST", "/v1/farms", farm, as: "demo", headers: [("Content-Type", type)])
                #expect(response.status == 415, "\(type)")
            }
            #expect(harness.asks.isEmpty)
            try harness.send(
                "POST", "/v1/farms", farm, as: "demo",
                headers: [
                    host, ("Origin", "http://FARM.test:8080"), ("Content-Type", "Application/JSON; charset=utf-8"),
                ])
            #expect(harness.asks.count == 1)
        }
    }

    @Test func `request bodies that are too large, not objects or not JSON are refused`() throws {
        try withTemporaryDirectory { folder in
            let harness = try GatewayHarness(in: folder, demoToken: "demo")
            let large = String(repeating: " ", count: GatewayLimits.bodyBytes + 1)
            #expect(try harness.call("POST", "/v1/farms", large, as: "demo").status == 413)
            for body in ["[]", "{", "\"x\"", "{\"a\":1}{}"] {
                let response = try harness.call("POST", "/v1/farms", body, as: "demo")
                #expect(response.status == 400, "\(body)")
                #expect(try response.problem == "malformed")
            }
            #expect(harness.asks.isEmpty)
        }
    }

    @Test func `every response carries the security headers`() throws {
        try withTemporaryDirectory { folder in
            let harness = try GatewayHarness(in: folder)
            for address in ["/v1/me", "/openapi.json", "/nothing"] {
                let headers = try harness.call("GET", address).headers
                #expect(headers["Content-Security-Policy"]?.contains("frame-ancestors 'none'") == true)
                #expect(headers["X-Content-Type-Options"] == "nosniff")
                #expect(headers["Referrer-Policy"] == "no-referrer")
                #expect(headers["Strict-Transport-Security"] == nil)
            }
        }
    }

    // MARK: A valid request for every route

    static func address(of route: Route) -> String {
        let path = route.path.segments.map { segment in
            switch segment {
            case .word(let word): "/\(word)"
            case .parameter("level"): "/0"
            case .rest("index"): "/000"
            case .parameter, .rest: "/L1"
            }
        }.joined()
        let query = route.parameters.filter(\.isRequired).map { "\($0.name)=\($0.name == "place" ? "plot/x" : "x")" }
            .joined(separator: "&")
        return query.isEmpty ? path : "\(path)?\(query)"
    }

    static func body(of route: Route) -> String? {
        switch route.takes {
        case .nothing: nil
        case .octets, .picture: "bytes"
        case .deviceJSON: "[]"
        case .json:
            switch route.name {
            case "ingest-adverts": "{\"adverts\":[]}"
            case "report-hub": #"{"connected":[],"waiting":0,"received":0,"removed":0,"refused":0}"#
            default:
                "{\"name\":\"N\",\"email\":\"n@farm.test\",\"password\":\"long enough\",\"role\":\"auditor\",\"token\":\"t\"}"
            }
        }
    }

    static func headers(of route: Route) -> [(String, String)] {
        switch route.takes {
        case .octets, .picture: return [("Content-Type", "application/octet-stream")]
        case .nothing, .deviceJSON, .json: break
        }
        return []
    }
}
