import EventSourcing
import EventStore
import Foundation
import Host
import JSON
import Vault
import Vocabulary
import Wire

@testable import HTTP
@testable import SyncGateway

/// An HTTP request: a line with method and address, header fields, a blank line and the body.
enum RequestReading {
    private static let forms: [StringFormat] = [
        .name, .line(200), .lines(200), .lot, .gtin, .place, .clock, .currency, .digest, .link(200), .email, .password,
        .secret,
        .key, .wishes, .topics, .pulled, .record, .address, .advert, .tile, .characteristic, .seconds, .signatures,
        .device,
    ]
    private static let host = Result { try GatewayHost() }
    private static let folder = FileManager.default.temporaryDirectory.path + "/furrow-\(UUID().uuidString)"

    static func read(_ bytes: [UInt8]) {
        guard let request = request(bytes) else { return }
        guard case .success(let host) = host else { preconditionFailure("there is no gateway: \(host)") }
        members(of: request.body)
        uplink(request.body)
        let effects = host.serve(request)
        precondition(!effects.isEmpty, "there is no response")
        for case .respond(_, let response) in effects {
            guard response.headers["Content-Type"]?.contains("json") == true, !response.body.isEmpty else { continue }
            precondition(isJSON(response.body), "the response is no JSON")
        }
        for case .ask(let asked) in effects { precondition(isJSON(asked.body), "a passed-on request is no JSON") }
    }

    /// Reads the body as that of a gateway of another make, which a token precedes.
    private static func uplink(_ bytes: [UInt8]) {
        attempt { () throws(Problem) in
            let adverts = try UplinkBody.adverts(in: bytes)
            precondition(isJSON(adverts), "the advertisements are no JSON")
        }
    }

    /// Reads the body as other services do.
    private static func members(of bytes: [UInt8]) {
        do throws(Problem) {
            let body = try RequestBody(bytes)
            guard let members = body.json.object else { preconditionFailure("a body that is no object") }
            for (key, _) in members where body.has(key) {
                _ = forms.count { $0.accepts(key) }
                attempt { () throws(Problem) in _ = try body.text(key, limit: 20) }
                attempt { () throws(Problem) in _ = try body.optionalText(key) }
                attempt { () throws(Problem) in _ = try body.name(key) }
                attempt { () throws(Problem) in _ = try body.find(key, as: Int.self) }
            }
        } catch { return }
    }

    private static func attempt(_ body: () throws(Problem) -> Void) {
        do throws(Problem) { try body() } catch { return }
    }

    fileprivate static func isJSON(_ bytes: [UInt8]) -> Bool {
        do {
            _ = try JSONValue.parse(bytes)
            return true
        } catch {
            return false
        }
    }

    private static func request(_ bytes: [UInt8]) -> HTTPRequest? {
        let end = bytes.firstRange(of: Array("\n\n".utf8))
        let head = String(decoding: bytes[..<(end?.lowerBound ?? bytes.count)], as: UTF8.self)
        let body = Array(bytes[(end?.upperBound ?? bytes.count)...])
        let lines = head.split(separator: "\n", omittingEmptySubsequences: false)
        let words = lines[0].split(separator: " ", maxSplits: 1)
        guard words.count == 2 else { return nil }
        let halves = words[1].split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        let target = PercentCoding.path(ofTarget: String(halves[0]))
        guard let path = PercentCoding.decode(target), path.hasPrefix("/") else { return nil }
        var query: [(name: String, value: String)] = []
        for pair in halves.dropFirst().first?.split(separator: "&") ?? [] {
            let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
            guard let name = PercentCoding.decode(parts[0]), let value = PercentCoding.decode(parts.last ?? "") else {
                return nil
            }
            query.append((name, value))
        }
        var headers = HTTPHeaders()
        for line in lines.dropFirst() {
            let parts = line.split(separator: ":", maxSplits: 1)
            if parts.count == 2 { headers.add(String(parts[0]), String(parts[1].drop { $0 == " " })) }
        }
        return HTTPRequest(
            method: String(words[0]), target: target, path: path, query: query, headers: headers, body: body,
            peer: "192.0.2.1")
    }

    /// A gateway with a real vault, which reverts each request.
    private struct GatewayHost: @unchecked Sendable {
        private let gateway: SyncGateway
        private let tables: MemoryTables
        private let now = Instant(microseconds: 1_777_792_500_000_000)

        init() throws {
            atexit { try? FileManager.default.removeItem(atPath: RequestReading.folder) }
            try FileManager.default.createDirectory(atPath: RequestReading.folder, withIntermediateDirectories: true)
            var gateway = try SyncGateway(
                site: "farm", vault: Vault(path: "\(RequestReading.folder)/\(Vault.fileName)"), demoToken: "demo",
                provider: PaymentProvider(url: "http://127.0.0.1:9", secret: "a shared secret"))
            for slot in 0..<3 { gateway.slots.hello(from: slot, at: 0) }
            self.gateway = gateway
            tables = try MemoryTables(Folding<SyncGateway>.schemas)
        }

        func serve(_ request: HTTPRequest) -> [Effect] {
            var gateway = gateway
            let web = WebRequest(id: 1, request: request, entropy: [UInt8](repeating: 7, count: 32))
            var effects = gateway.serve(web, tables)
            // The called service echoes the request, refuses it, or does not respond.
            let said = RequestReading.isJSON(request.body) ? request.body : Array("{}".utf8)
            for case .ask(let asked) in effects {
                let outcome: RequestOutcome =
                    switch request.body.count % 3 {
                    case 0: .answer(Response(status: 200, body: said))
                    case 1: .answer(Response(status: 409, body: Array("{}".utf8)))
                    default: .unknown
                    }
                effects += gateway.step(.answered(token: asked.token, outcome: outcome), at: now, seeing: tables)
            }
            return effects
        }
    }
}

extension RequestReading {
    /// Returns a request for each documented operation, and some undocumented ones.
    static func seeds() -> [[UInt8]] {
        let token = "Authorization: Bearer demo\nIdempotency-Key: k1\n"
        var seeds: [String] = Routes.all.map { route in
            var path = route.path.segments.reduce(into: "") { path, segment in
                if case .word(let word) = segment { path += "/\(word)" } else { path += "/000" }
            }
            let query = route.parameters.map { "\($0.name)=\(text($0.schema))" }.joined(separator: "&")
            if !query.isEmpty { path += "?\(query)" }
            return switch route.takes {
            case .nothing: "\(route.method.rawValue) \(path)\n\(token)\n"
            case .deviceJSON:
                "\(route.method.rawValue) \(path)\n\(token)\n{\"data\":{\"tags\":{}}}"
            case .octets, .picture:
                "\(route.method.rawValue) \(path)\n\(token)Content-Type: application/octet-stream\n\nRIFF"
            case .json(let shape):
                "\(route.method.rawValue) \(path)\n\(token)Content-Type: application/json\n\n\(json(.object(shape)))"
            }
        }
        let put = "POST /v1/sync\n\(token)Content-Type: application/json\n\n"
        let batch = "POST /v1/adverts\n\(token)Content-Type: application/json\n\n"
        let advert = #"{"address":"c50d00112201","hex":"020106","rssi":-60,"at":"2026-05-03T07:15:00Z"}"#
        let notice =
            "POST /v1/payments/notices\nwebhook-id: n1\nwebhook-timestamp: 1777792500\nwebhook-signature: v1,YQ==\n"
            + "Content-Type: application/json\n\n{}"
        let order = #"{"id":"o1","lines":[{"offer":"a","quantity":1}],"pickup":"p","payment":"at-pickup"}"#
        seeds += [
            "GET /\n\n", "PATCH /v1/farms\n\n", "GET http://a/v1/farms\n\n", "GET /%2\n\n", "GET /%zz\n\n",
            "GET /v1/%66arms\n\n", "GET http://a\n\n", "GET /v1/farms?after=%C3%28\n\n", "GET /a%00\n\n",
            "POST /v1/farms\nOrigin: http://b\nHost: a\n\n{}", "POST /v1/farms\nOrigin: b\nHost: a\n\n{}",
            "POST /v1/farms\n\(token)Content-Type: text/plain\n\n{}", "POST /v1/farms\n\(token)\n",
            "POST /v1/uplink\nAuthorization: Basic YTpi\n\n"
                + #"{"data":{"tags":{"C6:A5:B9:E0:AD:06":{"rssi":-71,"timestamp":"1653633986","data":"0201"}}}}"#,
            "POST /v1/uplink\nAuthorization: Basic YTo=\n\n"
                + #"[{"type":"Gateway"},{"timestamp":1777792500000,"mac":"AC233F5BB8DC","rawData":"0201"},{"type":"S1"}]"#,
            "POST /v1/uplink\nAuthorization: Basic YQ==\n\n[7]",
            "POST /v1/uplink/t\n\n"
                + #"[{"timestamp":"2026-05-01T10:00:00Z","mac":"AC233F5BB8DC","rssi":-43,"rawData":"0201"}]"#,
            "POST /v1/farms\nAuthorization: Bearer demo\nContent-Type: application/json\n\n{}",
            put + #"{"changes":{"orders":{"created":[\#(order)],"updated":[\#(order)],"deleted":["o1"]}}}"#,
            put
                + #"{"changes":{"favourites":{"created":[{"id":"farm.f1"}],"updated":[{"id":"x"}],"deleted":["product.p"]}}}"#,
            notice, put + #"{"changes":{"orders":{"created":[7]}}}"#,
            "POST /v1/orders/imports\n\(token)Content-Type: application/json\n\n{\"orders\":[]}",
            "POST /v1/farms\n\(token)Content-Type: application/json\n\n"
                + #"{"000":1,"x001/234.p/7":1,"1760000000":1,"v1,YQ== v1,Yg==":1,"v2,a":1}"#,
            put + #"{"changes":{"lots":{"created":[{"id":"l"}]}}}"#, put + #"{"changes":[]}"#, put + "[]",
        ]
        // The length of the body selects the called service's response.
        for blanks in ["", " ", "  "] {
            let devices = ["01", "02", "03", "04"].map { advert.replacing("01\"", with: "\($0)\"") }
            seeds.append(batch + #"{"adverts":[\#(devices.joined(separator: ","))],"count":1,"more":"x"}"# + blanks)
            seeds.append(put + #"{"changes":{"orders":{"created":[\#(order)]}}}"# + blanks)
        }
        return seeds.map { Array($0.utf8) }
    }

    private static let texts = [
        "a1", "null", "00000000", "plot/p1", "EUR", String(repeating: "ab", count: 32), "https://a.test/b", "a@b.test",
        "correct horse battery", "alarms", "o1:1", "0", "c50d00112233", "020106", "v1,YQ==", "000", "1760000000", "A",
        "21:30",
    ]

    private static func text(_ schema: APISchema) -> String {
        switch schema {
        case .form(let form): texts.first(where: form.accepts) ?? "a"
        case .integer: "7"
        case .whole(let range): "\(range.lowerBound)"
        case .number: "1.5"
        case .between(let range): "\(range.lowerBound)"
        case .flag: "true"
        case .time: "2026-05-03T07:15:00Z"
        case .words(let words): words.first ?? "a"
        case .orNull(let schema): text(schema)
        default: "YQ=="
        }
    }

    private static func json(_ schema: APISchema) -> String {
        switch schema {
        case .integer, .whole, .number, .between, .flag: text(schema)
        case .list(let element), .few(let element, _): "[\(json(element))]"
        case .map(let element): "{\"a\":\(json(element))}"
        case .object(let shape):
            "{" + shape.members.map { "\"\($0.name)\":\(json($0.schema))" }.joined(separator: ",") + "}"
        case .orNull(let schema): json(schema)
        case .anything: "{}"
        case .text, .form, .time, .words, .base64: "\"\(text(schema))\""
        }
    }
}
