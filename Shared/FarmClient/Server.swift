import HTTP
import JSON

/// The farm server as a client asks it.
struct Server: Sendable {
    /// Without a slash at its end.
    let address: String

    /// With its port, as labels name it.
    var host: Substring { address.drop { $0 != "/" }.dropFirst(2).prefix { $0 != "/" } }

    private let client: HTTPClient

    init(_ address: String, caFile: String?) throws(FarmClientError) {
        var address = address
        while address.hasSuffix("/") { address.removeLast() }
        guard address.hasPrefix("http://") || address.hasPrefix("https://") else {
            throw FarmClientError(.misuse, "A farm server's address begins with https:// or http://.")
        }
        self.address = address
        client = HTTPClient(caFile: caFile)
    }

    /// Asks, and gives an answer with a status below 300.
    func ask(
        _ method: String, _ path: String, token: String? = nil, key: String? = nil, body: [UInt8]? = nil
    ) throws(FarmClientError) -> HTTPResponse {
        try Self.accepted(try send(method, path, token: token, key: key, body: body))
    }

    /// An answer with a status below 300; any other is an error.
    static func accepted(_ response: HTTPResponse) throws(FarmClientError) -> HTTPResponse {
        guard response.status >= 300 else { return response }
        let problem = problem(response)
        switch response.status {
        case 401: throw FarmClientError(.signInNeeded, problem.detail ?? "Sign in first.", reason: problem.name)
        case 404: throw FarmClientError(.missing, problem.detail ?? "There is nothing here.", reason: problem.name)
        case 400..<425, 426..<429, 430..<500:
            let detail = problem.detail ?? "The farm server said no (\(response.status))."
            throw FarmClientError(.refused, detail, reason: problem.name)
        default:
            let detail = problem.detail ?? "The farm server is in trouble (\(response.status))."
            throw FarmClientError(.unreachable, detail, reason: problem.name)
        }
    }

    /// Asks for JSON.
    func get(_ path: String, token: String? = nil) throws(FarmClientError) -> JSONValue {
        try Self.json(try ask("GET", path, token: token).body)
    }

    /// Asks, and gives any answer.
    func send(
        _ method: String, _ path: String, token: String? = nil, key: String? = nil, body: [UInt8]? = nil
    ) throws(FarmClientError) -> HTTPResponse {
        var headers: [(String, String)] = [("Accept", "application/json")]
        if let token { headers.append(("Authorization", "Bearer \(token)")) }
        if let key { headers.append(("Idempotency-Key", key)) }
        if body != nil { headers.append(("Content-Type", "application/json")) }
        // What a newer client has queued is taken by an older server, without what that does not know.
        headers.append(("Prefer", "handling=lenient"))
        do {
            return try client.send(
                method, address + path, headers: headers, body: body ?? [], timeoutSeconds: ClientLimits.answerSeconds)
        } catch {
            throw Self.trouble(error)
        }
    }

    /// Listens for so long. `onLine` gets each line of what the server says, and stops it with false.
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

    /// A body of JSON; a captive network's log-in page is none.
    static func json(_ body: [UInt8]) throws(FarmClientError) -> JSONValue {
        do {
            return try JSONValue.parse(body)
        } catch {
            throw FarmClientError(.unreachable, "What answers there is no farm server.")
        }
    }

    /// Text within a path or a query (RFC 3986, 2.3).
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

    /// What problem details (RFC 9457) tell.
    private static func problem(_ response: HTTPResponse) -> (name: String?, detail: String?) {
        let told = String(decoding: response.body, as: UTF8.self)
        let found = read(told) { json throws(JSONError) -> (String?, String?)? in
            (try json.find("title"), try json.find("detail"))
        }
        return found ?? (nil, nil)
    }
}
