import Crypto
import Foundation
import Testing

@testable import HTTP

@Suite("The framing of requests (RFC 9112)")
struct FramingTests {
    /// One request and its expected response.
    ///
    /// Each is followed by `GET /behind`, which may be served only if the end of the request is unambiguous.
    struct Case: Sendable, CustomStringConvertible {
        let name: String
        let bytes: [UInt8]
        let isGood: Bool

        var description: String { name }

        static func refused(_ name: String, _ text: String) -> Case {
            Case(name: name, bytes: Array(text.utf8), isGood: false)
        }

        static func served(_ name: String, _ text: String) -> Case {
            Case(name: name, bytes: Array(text.utf8), isGood: true)
        }
    }

    private static let behind = "GET /behind HTTP/1.1\r\nHost: a\r\n\r\n"

    private static func post(_ fields: String, body: String = "{}", host: String = "Host: a\r\n") -> String {
        "POST /first HTTP/1.1\r\n\(host)\(fields)\r\n\r\n\(body)"
    }

    static let cases: [Case] = [
        .refused("differing Content-Length", post("Content-Length: 2\r\nContent-Length: 60")),
        .refused("differing Content-Length, other order", post("Content-Length: 60\r\nContent-Length: 2")),
        .refused("the same Content-Length twice", post("Content-Length: 2\r\nContent-Length: 2")),
        .refused("a list of lengths", post("Content-Length: 2, 2")),
        .refused(
            "Content-Length with Transfer-Encoding",
            post("Content-Length: 2\r\nTransfer-Encoding: chunked", body: "0\r\n\r\n")),
        .refused(
            "Transfer-Encoding with Content-Length",
            post("Transfer-Encoding: chunked\r\nContent-Length: 2", body: "0\r\n\r\n")),
        .refused(
            "Transfer-Encoding twice",
            post("Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked", body: "0\r\n\r\n")),
        .refused("a coding before chunked", post("Transfer-Encoding: gzip, chunked", body: "0\r\n\r\n")),
        .refused("an unknown coding", post("Transfer-Encoding: xchunked", body: "0\r\n\r\n")),
        .refused("identity", post("Transfer-Encoding: identity", body: "")),
        .refused("chunked in quotes", post("Transfer-Encoding: \"chunked\"", body: "0\r\n\r\n")),
        .refused("an empty coding", post("Transfer-Encoding: ", body: "")),
        .refused(
            "chunked in HTTP/1.0", "POST /first HTTP/1.0\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"),
        .refused("a space before the colon", post("Content-Length : 2")),
        .refused("a tab before the colon", post("Content-Length\t: 2")),
        .refused("a space in a name", post("X Y: 2\r\nContent-Length: 2")),
        .refused("a name that is no token", post("X(Y): 2\r\nContent-Length: 2")),
        .refused("no name", post(": 2\r\nContent-Length: 2")),
        .refused("a space before a name", "POST /first HTTP/1.1\r\n Content-Length: 2\r\nHost: a\r\n\r\n{}"),
        .refused("a folded line", post("X: a\r\n b\r\nContent-Length: 2")),
        .refused("a folded length", post("Content-Length:\r\n 2")),
        .refused("bare CR in a value", post("X: a\rb\r\nContent-Length: 2")),
        .refused("bare CR before a field", post("X: a\rContent-Length: 60\r\nContent-Length: 2")),
        .refused("bare CR in a name", post("X\rY: a\r\nContent-Length: 2")),
        .refused("bare LF between fields", post("X: a\nContent-Length: 2")),
        .refused("bare LF before the empty line", "POST /first HTTP/1.1\r\nHost: a\r\nContent-Length: 2\n\r\n{}"),
        .refused("bare LF as the empty line", "GET /first HTTP/1.1\r\nHost: a\r\n\n"),
        .refused("bare LF behind the request line", "POST /first HTTP/1.1\nHost: a\r\nContent-Length: 2\r\n\r\n{}"),
        .refused("NUL in a value", post("X: a\0b\r\nContent-Length: 2")),
        .refused("NUL at the end of a value", post("X: a\0\r\nContent-Length: 2")),
        .refused("NUL at the end of the last value", post("Content-Length: 2\r\nX: a\0")),
        .refused("NUL behind the length", post("Content-Length: 2\0000")),
        .refused("NUL in a name", post("X\0: a\r\nContent-Length: 2")),
        .refused("another control character in a value", post("X: a\u{1}b\r\nContent-Length: 2")),
        .refused("two Host fields", post("Content-Length: 2", host: "Host: a\r\nHost: b\r\n")),
        .refused("the same Host twice", post("Content-Length: 2", host: "Host: a\r\nHost: a\r\n")),
        .refused("no Host", post("Content-Length: 2", host: "")),
        .refused("a Host that is a list", post("Content-Length: 2", host: "Host: a, b\r\n")),
        .refused("an empty Host with a user", post("Content-Length: 2", host: "Host: a@b\r\n")),
        .refused("plus before the length", post("Content-Length: +2")),
        .refused("minus before the length", post("Content-Length: -2")),
        .refused("a hexadecimal length", post("Content-Length: 0x2")),
        .refused("an empty length", post("Content-Length: ")),
        .refused("a length of 2^64", post("Content-Length: 18446744073709551616")),
        .refused("a chunk that is no number", post("Transfer-Encoding: chunked", body: "zz\r\n{}\r\n0\r\n\r\n")),
        .refused("a chunk with a sign", post("Transfer-Encoding: chunked", body: "+2\r\n{}\r\n0\r\n\r\n")),
        .refused("a chunk of 2^64", post("Transfer-Encoding: chunked", body: "10000000000000000\r\n{}\r\n0\r\n\r\n")),
        .refused("a chunk without its end", post("Transfer-Encoding: chunked", body: "2\r\n{}XX0\r\n\r\n")),
        .refused("a tab in the target", "GET /fi\trst HTTP/1.1\r\nHost: a\r\n\r\n"),
        .refused("bare CR in the target", "GET /fi\rrst HTTP/1.1\r\nHost: a\r\n\r\n"),
        .refused("NUL in the target", "GET /fi\0rst HTTP/1.1\r\nHost: a\r\n\r\n"),
        .refused("NUL in the query", "GET /first?a=b\0c HTTP/1.1\r\nHost: a\r\n\r\n"),
        .refused("two spaces before the target", "GET  /first HTTP/1.1\r\nHost: a\r\n\r\n"),
        .refused("a space in the target", "GET /fi rst HTTP/1.1\r\nHost: a\r\n\r\n"),
        .served("a plain request", "GET /first HTTP/1.1\r\nHost: a\r\n\r\n"),
        .served("a length", post("Content-Length: 2")),
        .served("no length", post("X: a", body: "")),
        .served("a chunked body", post("Transfer-Encoding: Chunked", body: "2;a=b\r\n{}\r\n0\r\nX-Trailer: a\r\n\r\n")),
        .served("empty and padded values", post("X:\r\nY:   \r\nZ: \t a\tb\r\nContent-Length:2")),
        .served("a query", "GET /first?a=b&c&d=%20 HTTP/1.1\r\nHost: a:8080\r\n\r\n"),
        .served("an IPv6 host", "GET /first HTTP/1.1\r\nHost: [::1]:8080\r\n\r\n"),
        .served("an empty line before", "\r\nGET /first HTTP/1.1\r\nHost: a\r\n\r\n"),
        .served("a cookie", "GET /first HTTP/1.1\r\nHost: a\r\nCookie: a=b; c=\"d\"\r\nX: y\r\n\r\n"),
    ]

    private static func heads(in answer: String) -> Int { answer.components(separatedBy: "HTTP/1.1 ").count - 1 }

    @Test(arguments: [false, true])
    func `a request with an ambiguous end is answered 400 and closed, and nothing after it is served`(
        inPieces: Bool
    ) throws {
        let served = Shelf<String>()
        let server = try HTTPServer(address: "127.0.0.1", port: 0) { exchange in
            served.put(exchange.request.path)
            exchange.respond(HTTPResponse(status: 204))
        }
        defer { server.stop() }
        for one in Self.cases {
            served.clear()
            let raw = try RawConnection(port: server.port)
            if inPieces {
                for part in stride(from: 0, to: one.bytes.count, by: 7) {
                    _ = raw.send(bytes: Array(one.bytes[part..<min(part + 7, one.bytes.count)]))
                }
                raw.send(Self.behind)
            } else {
                _ = raw.send(bytes: one.bytes + Array(Self.behind.utf8))
            }
            if one.isGood {
                let answer = raw.read { Self.heads(in: $0) == 2 && $0.hasSuffix("\r\n\r\n") }
                #expect(Self.heads(in: answer) == 2, "\(one): \(answer)")
                #expect(served.all == ["/first", "/behind"], "\(one)")
            } else {
                let answer = raw.read()
                #expect(answer.hasPrefix("HTTP/1.1 400 ") || answer.hasPrefix("HTTP/1.1 413 "), "\(one): \(answer)")
                #expect(Self.heads(in: answer) == 1, "\(one): \(answer)")
                #expect(!served.all.contains("/behind"), "\(one)")
                #expect(served.all.isEmpty, "\(one)")
            }
        }
        let good = Self.cases.count(where: \.isGood)
        print("framing: checked \(Self.cases.count - good) refused and \(good) served requests")
        #expect(Self.cases.count - good >= 50 && good >= 9)
    }

    @Test func `these cases reject a server that uses the first of two lengths`() throws {
        // The mutant is the earlier rule: each request that libmicrohttpd accepts is one request.
        func mutant(_ headers: HTTPHeaders) -> String? { nil }
        let smuggling: [HTTPHeaders] = [
            HTTPHeaders([("Host", "a"), ("Content-Length", "2"), ("Content-Length", "60")]),
            HTTPHeaders([("Host", "a"), ("Content-Length", "2"), ("Transfer-Encoding", "chunked")]),
            HTTPHeaders([("Host", "a"), ("Transfer-Encoding", "xchunked")]),
            HTTPHeaders([("Host", "a"), ("Host", "b")]),
            HTTPHeaders([("Host", "a"), ("Content-Length ", "60")]),
        ]
        for headers in smuggling {
            #expect(Framing.objection(target: "/", version: "HTTP/1.1", headers) != nil)
            #expect(mutant(headers) == nil)
        }
    }
}
