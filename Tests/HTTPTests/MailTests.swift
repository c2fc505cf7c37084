import Foundation
import HTTP
import Testing

@Suite("A letter")
struct MailTests {
    private let letter = Array("Subject: Recalled\r\n\r\nGlass in a box.\r\n".utf8)

    private func send(to desk: MailDesk, _ account: (user: String, password: String)? = nil) throws -> Int {
        let client = MailClient(server: "smtp://127.0.0.1:\(desk.port)", account: account)
        return try client.send(letter, from: "shop@farm.test", to: "bea@buyers.test", timeoutSeconds: 20)
    }

    @Test func `goes in clear only where nothing else is offered`() throws {
        let desk = try MailDesk(offers: ["PIPELINING"])
        #expect(try send(to: desk) == 250)
        #expect(desk.heard.all.contains("Glass in a box.") && desk.heard.all.contains { $0.contains("bea@") })
    }

    /// Behind the desk stands who knows TLS and no mail: so far we have to come, with a certificate that nobody trusts.
    @Test func `is sealed where that is offered, also without an account`() throws {
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
        // A password is told to nobody whose certificate is not trusted; a letter is not held back for it.
        #expect(kinds == [.broken, .untrusted])
        behind.stop()
    }
}
