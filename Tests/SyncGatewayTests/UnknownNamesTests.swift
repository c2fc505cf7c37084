import HTTP
import JSON
import TestKit
import Testing
import Wire

@testable import SyncGateway

@Suite("Unknown names in a request")
struct UnknownNamesTests {
    private static let shape: Shape = [
        "reason": .line, "price?": .orNull(.object(["minor": .integer, "currency": .line])),
        "lines": .few(.object(["offer": .name, "quantity": .integer]), 0...9),
        "tables": .map(.object(["id": .name])), "foreign?": .object((["id": .name] as Shape).open), "free?": .anything,
    ]

    /// A body, and the paths of its unknown and repeated names.
    private static let bodies: [(body: String, unknown: [String], repeated: [String])] = [
        (#"{"reason":"a","lines":[],"tables":{}}"#, [], []),
        (#"{"resaon":"a"}"#, ["resaon"], []),
        (#"{"price":{"minor":1,"curency":"EUR"}}"#, ["price/curency"], []),
        (#"{"lines":[{"offer":"a","quantity":1},{"offer":"a","quantitty":1}]}"#, ["lines/1/quantitty"], []),
        (#"{"tables":{"any":{"id":"a"},"other":{"idd":"a"}}}"#, ["tables/other/idd"], []),
        (#"{"foreign":{"id":"a","more":{"x":1}},"free":{"x":[{"y":1}]}}"#, [], []),
        (#"{"reason":"a","reason":"b"}"#, [], ["reason"]),
        (#"{"lines":[{"offer":"a","offer":"b"}]}"#, [], ["lines/0/offer"]),
        (#"{"free":{"x":{"y":1,"y":2}},"foreign":{"more":1,"more":2}}"#, [], ["free/x/y", "foreign/more"]),
        (#"{"re\u0061son":"a","reason":"b"}"#, [], ["reason"]),
        (#"{"price":null,"lines":"no list","tables":[{"x":1}]}"#, [], []),
    ]

    private typealias Checker = @Sendable (JSONValue) -> (unknown: [String], repeated: [String])

    private static let checker: Checker = { body in
        let names = UnknownNames(in: body, described: shape)
        return (names.unknown.map(\.path), names.repeated)
    }

    /// Deliberately broken checkers.
    private static let mutants: [(name: String, checker: Checker)] = [
        (
            "looks at the top level only",
            { body in
                let (unknown, repeated) = checker(body)
                return (unknown.filter { !$0.contains("/") }, repeated)
            }
        ),
        ("accepts members that stand twice", { (checker($0).unknown, []) }),
        (
            "looks for repeated members at the top level only",
            { body in
                let (unknown, repeated) = checker(body)
                return (unknown, repeated.filter { !$0.contains("/") })
            }
        ),
        ("accepts every member", { ([], checker($0).repeated) }),
    ]

    /// Returns the bodies that a checker judges wrongly.
    private static func mistakes(_ checker: Checker) throws -> [String] {
        try bodies.filter { body, unknown, repeated in
            let found = checker(try JSONValue.parse(body))
            return found.unknown != unknown || found.repeated != repeated
        }.map(\.body)
    }

    @Test func `unknown and repeated members are found at every depth, except in formats that others define`() throws {
        #expect(try Self.mistakes(Self.checker) == [])
        for (name, mutant) in Self.mutants {
            let mistakes = try Self.mistakes(mutant)
            print("a checker that \(name): \(mistakes.count) of \(Self.bodies.count) bodies judged wrongly")
            #expect(!mistakes.isEmpty, "nothing rejects a checker that \(name)")
        }
    }

    @Test(arguments: [
        ("waitingdays", "waitingDays"), ("waiting_days", "waitingDays"), ("Kind", "kind"), ("amonut", "amount"),
        ("latitude", nil), ("x", nil), ("", nil),
    ])
    func `the most similar known name is suggested if it is similar enough`(name: String, nearest: String?) {
        #expect(UnknownNames.nearest(name, ["kind", "happened", "amount", "unit", "waitingDays"]) == nearest)
    }

    @Test(arguments: [
        ("handling=lenient", true), ("respond-async, handling=lenient; x=1", true), ("Handling=\"lenient\"", true),
        ("handling=strict", false), ("handling=strict, handling=lenient", false), ("lenient", false), ("", false),
    ])
    func `leniency is requested as in RFC 7240, and the first preference counts`(prefer: String, isLenient: Bool) {
        let request = HTTPRequest(
            method: "GET", target: "/", path: "/", query: [], headers: ["Prefer": prefer], body: [], peer: "::1",
            isHead: false, isSecure: false)
        #expect(UnknownNames.isLenient(request) == isLenient)
    }

    @Test func `a mistyped member or parameter is refused by its name, and the request is not forwarded`() throws {
        try withTemporaryDirectory { folder in
            let harness = try GatewayHarness(in: folder, demoToken: "demo")
            let refusals: [(method: String, path: String, body: String?, problem: String, detail: String)] = [
                (
                    "POST", "/v1/plots/p1/activities", #"{"kind":"plant-protection","waitingdays":14}"#,
                    "unknown-member", "`waitingdays` is not known here; did you mean `waitingDays`?"
                ),
                (
                    "PUT", "/v1/rules/x", #"{"place":"store/s4","quantity":"temperature","above":300,"for":300}"#,
                    "unknown-member", "`for` is not known here."
                ),
                (
                    "POST", "/v1/orders", #"{"lines":[{"offer":"o","quantitty":1}],"pickup":"p"}"#, "unknown-member",
                    "`lines/0/quantitty` is not known here; did you mean `quantity`?"
                ),
                (
                    "POST", "/v1/lots/L1/splits", #"{"grams":5,"grams":6}"#, "duplicate-member",
                    "`grams` stands twice; send it once."
                ),
                (
                    "GET", "/v1/readings?place=plot/p1&quantity=temperature&form=2026-01-01T00:00:00Z", nil,
                    "unknown-parameter", "`form` is not known here; did you mean `from`?"
                ),
                ("GET", "/v1/farms?step=10m", nil, "unknown-parameter", "`step` is not known here."),
            ]
            for (method, path, body, problem, detail) in refusals {
                let response = try harness.call(method, path, body, as: "demo")
                #expect(response.status == 400)
                #expect(response.headers["Content-Type"] == "application/problem+json")
                #expect(try response.problem == problem, "\(path)")
                #expect(try response.json.get("detail", as: String.self) == detail)
            }
            #expect(harness.asks.isEmpty)
            // The ledger's paths follow the rules of C2SP, not these.
            try harness.send("GET", "/ledger/checkpoint?x=1", as: "demo")
            #expect(harness.asks.count == 1)
        }
    }

    @Test func `a lenient request is forwarded, and its response lists the ignored names`() throws {
        try withTemporaryDirectory { folder in
            let harness = try GatewayHarness(in: folder, demoToken: "demo")
            let lenient = [("Prefer", "handling=lenient")]
            let body = #"{"lines":[{"offer":"o","quantity":1,"gift":true}],"pickup":"p","note":"ring"}"#
            let id = try harness.send("POST", "/v1/orders?later=1", body, as: "demo", headers: lenient)
            let ask = try #require(harness.asks.first)
            try harness.answer(ask, 201, "{}")
            let response = try harness.response(id)
            #expect(response.status == 201 && response.headers["Preference-Applied"] == "handling=lenient")
            #expect(response.headers["Furrow-Ignored"] == "?later, lines/0/gift, note")
            // Without ignored names there is no list. A repeated member is always refused.
            let plain = try harness.send("GET", "/v1/farms", as: "demo", headers: lenient)
            try harness.answer(harness.asks[1], 200, "{}")
            #expect(try harness.response(plain).headers["Preference-Applied"] == "handling=lenient")
            #expect(try harness.response(plain).headers["Furrow-Ignored"] == nil)
            let twice = try harness.call(
                "POST", "/v1/lots/L1/splits", #"{"grams":5,"grams":6}"#, as: "demo", headers: lenient)
            #expect(try twice.problem == "duplicate-member")
            // However many there are, the list is bounded.
            let many = "{" + (0..<5000).map { "\"name-that-is-not-known-\($0)\":1" }.joined(separator: ",") + "}"
            let crowded = try harness.call("POST", "/v1/farms", many, as: "demo", headers: lenient)
            let ignored = try #require(crowded.headers["Furrow-Ignored"])
            #expect(crowded.status == 400 && ignored.utf8.count <= 1000)
            #expect(try harness.call("POST", "/v1/farms", many, as: "demo").problem == "unknown-member")
        }
    }

    @Test func `every request shape in the API description is closed, except formats that others define`() throws {
        var (open, closed): ([String], Int) = ([], 0)
        func count(_ schema: APISchema, _ route: Route) {
            switch schema {
            case .list(let element), .few(let element, _), .map(let element): count(element, route)
            case .orNull(let inner): count(inner, route)
            case .object(let shape):
                if shape.isOpen { open.append(route.name) } else { closed += 1 }
                for member in shape.members { count(member.schema, route) }
            default: break
            }
        }
        for route in Routes.all {
            guard case .json(let shape) = route.takes else { continue }
            count(.object(shape), route)
        }
        print("\(closed) closed objects in requests; open: \(open)")
        #expect(Set(open) == ["ingest-adverts", "payment-notice", "sync-push"])
        #expect(closed >= 40)
        let text = String(decoding: OpenAPI.document, as: UTF8.self)
        #expect(text.count(of: #""additionalProperties":false"#) >= closed)
        #expect(text.count(of: #""additionalProperties":true"#) == open.count)
        #expect(text.count(of: "#/components/parameters/prefer") >= 80)
    }
}

extension String {
    /// Returns how often a text occurs in it.
    fileprivate func count(of text: String) -> Int { ranges(of: text).count }
}
