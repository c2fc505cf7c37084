import EventSourcing
import EventStore
import Events
import HTTP
import Host
import JSON
import Vault
import Vocabulary
import Wire

/// Takes letters to the farm's mail server.
public struct Mailer: Sendable {
    private let client: MailClient
    private let sender: String
    /// Where the pages are; nil where nobody said.
    let pages: String?

    /// - Parameter sender: the address that letters come from.
    init(_ client: MailClient, sender: String, pages: String?) {
        self.client = client
        self.sender = sender
        self.pages = pages
    }

    /// The status in two bytes, as an HTTP server would say it: taken, later, or never; then why.
    func deliver(_ letter: Email) -> [UInt8] {
        do {
            let word = try client.send(
                letter.bytes(from: sender), from: sender, to: letter.recipient,
                timeoutSeconds: GatewayLimits.messageSeconds)
            let status = word < 400 ? 200 : word < 500 ? 503 : 422
            return Self.word(status, "the mail server answered with \(word)")
        } catch {
            return Self.word(error.kind == .requestUnusable ? 422 : 503, "the mail server: \(error.message)")
        }
    }

    private static func word(_ status: Int, _ reason: String) -> [UInt8] {
        [UInt8(status / 256), UInt8(status % 256)] + Array(reason.utf8)
    }
}

/// A letter to one person. It is not kept: who it goes to and what it says is put together when it leaves.
struct Email: Sendable {
    /// The id of the fact that asked for it: sent twice, a mailbox can tell.
    let number: String
    let recipient: String
    let subject: String
    let text: String
    let date: Instant

    /// As it goes over the line (RFC 5322, RFC 2045): any language in base64, lines short enough for everybody.
    func bytes(from sender: String) -> [UInt8] {
        let host = sender.split(separator: "@").last.map(String.init) ?? "furrow.invalid"
        var lines = [
            "From: <\(sender)>", "To: <\(recipient)>", "Subject: \(Self.encodedWords(subject))",
            "Date: \(Self.text(date))",
            "Message-ID: <\(number)@\(host)>", "Auto-Submitted: auto-generated", "MIME-Version: 1.0",
            "Content-Type: text/plain; charset=utf-8", "Content-Transfer-Encoding: base64", "",
        ]
        let body = Array(BaseEncoding.base64.encode(Array(text.utf8)).utf8)
        for start in stride(from: 0, to: body.count, by: 76) {
            lines.append(String(decoding: body[start..<min(start + 76, body.count)], as: UTF8.self))
        }
        return Array((lines.joined(separator: "\r\n") + "\r\n").utf8)
    }

    /// RFC 2047: each word at most 75 letters, and whole characters in each.
    private static func encodedWords(_ text: String) -> String {
        var parts: [String] = [""]
        for character in text {
            if parts[parts.count - 1].utf8.count + character.utf8.count > 42 { parts.append("") }
            parts[parts.count - 1].append(character)
        }
        return parts.map { "=?UTF-8?B?\(BaseEncoding.base64.encode(Array($0.utf8)))?=" }.joined(separator: "\r\n ")
    }

    /// `22 Nov 2026 09:30:00 +0000`
    private static func text(_ date: Instant) -> String {
        let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
        let parts = date.description.split { "-T.".contains($0) }.map(String.init)
        guard parts.count >= 4, let month = Int(parts[1]), months.indices.contains(month - 1) else { return "" }
        return "\(parts[2]) \(months[month - 1]) \(parts[0]) \(parts[3]) +0000"
    }
}

extension SyncGateway {
    /// What a message of the outbox is as a letter; nil where there is nobody to write to any more.
    func letter(for row: OutboxRow, _ tables: any Tables) throws(Problem) -> Email? {
        let recall: OrderRecalled
        do {
            recall = try OrderRecalled(json: JSONValue.parse(row.body))
        } catch {
            throw .malformed(error)
        }
        guard let account = try vault({ () throws(VaultError) in try accounts.account(of: recall.buyer) }) else {
            return nil
        }
        let lots = recall.lots.map { lot in
            let product = tables.get(SyncLotRow.self, lot.rawValue)?.product
            return product.map { "\($0), lot \(lot)" } ?? "lot \(lot)"
        }
        let text = """
            \(account.name),

            something you ordered was recalled by the farm:

            \(lots.map { "  * \($0)" }.joined(separator: "\n"))

            Why: \(recall.reason)

            \(recall.isCollected
                ? "You have taken it home. Do not eat it, and do not give it away."
                : "It is not handed out any more. You do not pay for it; what was paid goes back to you.")

            Order \(recall.order)\(mailer?.pages.map { ": \($0)/orders/\(recall.order)" } ?? "")

            """
        return Email(
            number: row.key, recipient: account.email, subject: "Recalled: \(lots.joined(separator: "; "))", text: text,
            date: time)
    }
}
