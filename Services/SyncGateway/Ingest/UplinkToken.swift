import HTTP
import Vocabulary
import Wire

/// The token in a request of a gateway of another make, which may only be able to send it in one of three ways.
enum UplinkToken {
    /// Returns the token in the path, in `Authorization: Bearer`, or in `Authorization: Basic` as the password or, with
    /// an empty password, as the user's name. Returns nil if there is none. A cookie never counts.
    static func of(_ request: HTTPRequest, inPath token: String?) -> String? {
        if let token { return token }
        guard let authorization = request.headers["Authorization"] else { return nil }
        let parts = authorization.split(separator: " ", maxSplits: 1).map(String.init)
        guard parts.count == 2 else { return nil }
        switch parts[0].lowercased() {
        case "bearer": return parts[1]
        case "basic": return basic(parts[1])
        default: return nil
        }
    }

    private static func basic(_ credentials: String) -> String? {
        guard let bytes = BaseEncoding.base64.decode(credentials) else { return nil }
        let halves = String(decoding: bytes, as: UTF8.self)
            .split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        guard halves.count == 2 else { return nil }
        return String(halves[1].isEmpty ? halves[0] : halves[1])
    }
}

extension Problem {
    /// A gateway's token is missing, wrong or revoked.
    static let gatewayUnknown = Problem(
        401, "gateway-unknown",
        "The token of a radio gateway is missing, mistyped or revoked. An administrator receives it once, on "
            + "the page Sensors. Enter it in the gateway as bearer token, as password, or at the end of the address: "
            + "/v1/uplink/TOKEN.")
}
