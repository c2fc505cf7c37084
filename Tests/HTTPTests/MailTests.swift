import Foundation
import HTTP
import Testing

@Suite("Sending e-mail")
struct MailTests {
    private let letter = Array("Subject: Recalled\r\n\r\nGlass in a box.\r\n".utf8)

    private func send(to desk: MailDesk, _ account: (user: String, password: String)? = nil) throws -> Int {
        let client = MailClient(server: "smtp://127.0.0.1:\(desk.port)", account: account)
        return try client.send(letter, from: "shop@farm.test", to: "bea@buyers.test", timeoutSeconds: 20)
    }

    @Test func `an e-mail is sent unencrypted only if the server does not offer STARTTLS`() throws {
        let desk = try MailDesk(offers: ["PIPELINING"])
        #expect(try send(to: desk) == 250)
        #expect(desk.heard.all.contains("Glass in a box.") && desk.heard.all.contains { $0.contains("bea@") })
    }

    /// The server behind speaks TLS but no SMTP, and its certificate is not trusted; so the session ends there.
    @Test func `an e-mail is sent over STARTTLS if the server offers it, also without an account`() throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "furrow-mail-\(UUID().uuidString)").path
        defer { do { try FileManager.default.removeItem(atPath: folder) } catch {} }
        let behind = try HTTPServer(
            address: "127.0.0.1", port: 0, tls: try HTTPClientTests.identity(in: folder)
        ) { HTTPServerTests.echo($0) }
        var kinds: [HTTPError.Kind] = []
        for account in [nil, (user: "farm", password: "a secret")] {
            let desk = try MailDesk(offers: ["STARTTLS"], sealed: behind.port)
            let error = #expect(throws: HTTPError.self) { _ = try send(to: desk, account) }
            kinds.append(try #require(error).kind)
            let heard = desk.heard.all
            #expect(heard.count == 2 && heard[0].hasPrefix("EHLO ") && heard[1] == "STARTTLS", "\(heard)")
        }
        // A password is not sent to a server with an untrusted certificate; an e-mail without one is.
        #expect(kinds == [.broken, .untrusted])
        behind.stop()
    }
}
