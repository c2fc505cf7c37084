import HTTP
import JSON
import Wire

/// Requests to the farm server.
struct Server: Sendable {
    /// The address, without a slash at its end.
    let address: String

    /// The host with its port, as in labels' links.
    var host: Substring { address.drop { $0 != "/" }.dropFirst(2).prefix { $0 != "/" } }

    private let client: HTTPClient

    init(_ address: String, caFile: String?) throws(FarmClientError) {
        var address = address
        while address.hasSuffix("/") { address.removeLast() }
        guard address.hasPrefix("http://") || address.hasPrefix("https://") else {
            throw FarmClientError(.misuse, "A farm server's address begins with https:// or http://.")
        }
        self.address = address
        client = HTTPClient(caFile: caFile, acceptsCompressed: true)
    }

    /// Sends a request and returns the response; throws if its status is 300 or above.
    func ask(
        _ method: String, _ path: String, token: String? = nil, key: String? = nil, body: [UInt8]? = nil
    ) throws(FarmClientError) -> HTTPResponse {
        try Self.accepted(try send(method, path, token: token, key: key, body: body))
    }

    /// Returns the response if its status is below 300; throws any other as an error.
    static func accepted(_ response: HTTPResponse) throws(FarmClientError) -> HTTPResponse {
        guard response.status >= 300 else { return response }
        let problem = problem(response)
        switch response.status {
        case 401: throw FarmClientError(.signInNeeded, problem.detail ?? "Sign in first.", reason: problem.name)
        case 404: throw FarmClientError(.missing, problem.detail ?? "There is nothing here.", reason: problem.name)
        case 400..<425, 426..<429, 430..<500:
            let detail = problem.detail ?? "The farm server refused the request (\(response.status))."
            throw FarmClientError(.refused, detail, reason: problem.name)
        default:
            let detail = problem.detail ?? "The farm server has a problem (\(response.status))."
            throw FarmClientError(.unreachable, detail, reason: problem.name)
        }
    }

    /// Returns the JSON of a resource.
    func get(_ path: String, token: String? = nil) throws(FarmClientError) -> JSONValue {
        try Self.json(try ask("GET", path, token: token).body)
    }

    /// Returns a request as it is sent to the farm, or through a node.
    func request(
        _ method: String, _ path: String, token: String? = nil, key: String? = nil, body: [UInt8]? = nil
    ) -> BinaryHTTP.Request {
        BinaryHTTP.Request(
            method: method, authority: String(host), path: path,
            fields: Self.headers(token: token, key: key, hasBody: body != nil).map { BinaryHTTP.Field($0.0, $0.1) },
            body: body ?? [])
    }

    /// Sends a request and returns the response, regardless of its status.
    func send(_ request: BinaryHTTP.Request, seconds: Double? = nil) throws(FarmClientError) -> HTTPResponse {
        do {
            return try client.send(
                request.method, address + request.path, headers: request.fields.map { ($0.name, $0.value) },
                body: request.body, timeoutSeconds: seconds ?? ClientLimits.answerSeconds)
        } catch {
            throw Self.trouble(error)
        }
    }

    private static func headers(token: String?, key: String?, hasBody: Bool) -> [(String, String)] {
        var headers: [(String, String)] = [("Accept", "application/json")]
        if let token { headers.append(("Authorization", "Bearer \(token)")) }
        if let key { headers.append(("Idempotency-Key", key)) }
        if hasBody { headers.append(("Content-Type", "application/json")) }
        // An older server accepts a newer client's change and ignores the members that it does not know.
        headers.append(("Prefer", "handling=lenient"))
        return headers
    }

    /// Sends a request and returns the response, regardless of its status.
    ///
    /// - Parameter isSigned: whether the farm is to sign the response, so that others can prove it.
    func send(
        _ method: String, _ path: String, token: String? = nil, key: String? = nil, body: [UInt8]? = nil,
        isSigned: Bool = false, seconds: Double = ClientLimits.answerSeconds
    ) throws(FarmClientError) -> HTTPResponse {
        var request = request(method, path, token: token, key: key, body: body)
        if isSigned { request.fields.append(BinaryHTTP.Field("Accept-Signature", ResponseSignature.request)) }
        return try send(request, seconds: seconds)
    }

    /// Reads the server's event stream for `seconds`, until `onLine` returns false; `onLine` gets each line.
    func listen(token: String, seconds: Double, onLine: (String) -> Bool) throws(FarmClientError) {
        let headers = [("Authorization", "Bearer \(token)")]
        do throws(HTTPError) {
            try client.events(
                "\(address)/v1/sync/live", headers: headers, timeoutSeconds: seconds, onLine: onLine)
        } catch {
            guard error.kind != .timedOut else { return }
            throw Self.trouble(error)
        }
    }

    /// Parses a JSON body; throws `unreachable` for anything else, such as a captive network's log-in page.
    static func json(_ body: [UInt8]) throws(FarmClientError) -> JSONValue {
        do {
            return try JSONValue.parse(body)
        } catch {
            throw FarmClientError(.unreachable, "The response is not from a farm server.")
        }
    }

    /// Returns the text percent-encoded for a path or a query (RFC 3986, 2.3).
    static func quoted(_ text: String) -> String {
        var quoted = ""
        for byte in text.utf8 {
            let letter = Character(UnicodeScalar(byte))
            if letter.isASCII, letter.isLetter || letter.isNumber || "-._~".contains(letter) {
                quoted.append(letter)
            } else {
                quoted += "%" + (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: true)
            }
        }
        return quoted
    }

    private static func trouble(_ error: HTTPError) -> FarmClientError {
        switch error.kind {
        case .untrusted: FarmClientError(.untrusted, "The farm server's certificate is not trusted: \(error.message).")
        case .requestUnusable: FarmClientError(.misuse, "This cannot be asked: \(error.message).")
        default: FarmClientError(.unreachable, "The farm server does not answer: \(error.message).")
        }
    }

    /// Returns the title and detail of problem details (RFC 9457).
    private static func problem(_ response: HTTPResponse) -> (name: String?, detail: String?) {
        let told = String(decoding: response.body, as: UTF8.self)
        let found = read(told) { json throws(JSONError) -> (String?, String?)? in
            (try json.find("title"), try json.find("detail"))
        }
        return found ?? (nil, nil)
    }
}
