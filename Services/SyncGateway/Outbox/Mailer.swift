import EventSourcing
import EventStore
import Events
import HTTP
import Host
import JSON
import Vault
import Vocabulary
import Wire

/// Sends e-mails through the farm's mail server.
public struct Mailer: Sendable {
    private let client: MailClient
    private let sender: String
    /// The public URL of the web pages; nil if none is configured.
    let pages: String?

    /// - Parameter sender: the sender's address of all e-mails.
    init(_ client: MailClient, sender: String, pages: String?) {
        self.client = client
        self.sender = sender
        self.pages = pages
    }

    /// Sends an e-mail. Returns an HTTP status in two bytes (200 accepted, 503 try later, 422 rejected), then the
    /// reason as text.
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

    static func word(_ status: Int, _ reason: String) -> [UInt8] {
        [UInt8(status / 256), UInt8(status % 256)] + Array(reason.utf8)
    }
}

/// An e-mail to one person. It is composed when it is sent and not stored.
struct Email: Sendable {
    /// The key of the outbox message; the Message-ID repeats, so that a mailbox can detect duplicates.
    let number: String
    let recipient: String
    let subject: String
    let text: String
    let date: Instant
    var attachment: Attachment?

    /// A file that is sent with an e-mail.
    struct Attachment: Sendable {
        /// ASCII letters, digits, dots and hyphens.
        let name: String
        let type: String
        let bytes: [UInt8]
    }

    /// Returns the encoded message (RFC 5322, RFC 2045). Base64 allows any language in short lines.
    func bytes(from sender: String) -> [UInt8] {
        let host = sender.split(separator: "@").last.map(String.init) ?? "furrow.invalid"
        var lines = [
            "From: <\(sender)>", "To: <\(recipient)>", "Subject: \(Self.encodedWords(subject))",
            "Date: \(Self.text(date))",
            "Message-ID: <\(number)@\(host)>", "Auto-Submitted: auto-generated", "MIME-Version: 1.0",
        ]
        let plain = Self.part("text/plain; charset=utf-8", Array(text.utf8))
        if let attachment {
            // No line of base64 begins with a hyphen, so no part contains the boundary.
            let disposition = "Content-Disposition: attachment; filename=\"\(attachment.name)\""
            lines += ["Content-Type: multipart/mixed; boundary=\"furrow-part\"", "", "--furrow-part"] + plain
            lines += ["--furrow-part", disposition] + Self.part(attachment.type, attachment.bytes)
            lines.append("--furrow-part--")
        } else {
            lines += plain
        }
        return Array((lines.joined(separator: "\r\n") + "\r\n").utf8)
    }

    /// Returns the lines of a body with its type.
    private static func part(_ type: String, _ bytes: [UInt8]) -> [String] {
        let body = Array(BaseEncoding.base64.encode(bytes).utf8)
        return ["Content-Type: \(type)", "Content-Transfer-Encoding: base64", ""]
            + stride(from: 0, to: body.count, by: 76).map { start in
                String(decoding: body[start..<min(start + 76, body.count)], as: UTF8.self)
            }
    }

    /// Encodes a header's text by RFC 2047: words of at most 75 characters, without splitting a character.
    private static func encodedWords(_ text: String) -> String {
        var parts: [String] = [""]
        for character in text {
            if parts[parts.count - 1].utf8.count + character.utf8.count > 42 { parts.append("") }
            parts[parts.count - 1].append(character)
        }
        return parts.map { "=?UTF-8?B?\(BaseEncoding.base64.encode(Array($0.utf8)))?=" }.joined(separator: "\r\n ")
    }

    /// Formats a date as `22 Nov 2026 09:30:00 +0000`.
    private static func text(_ date: Instant) -> String {
        let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
        let parts = date.description.split { "-T.".contains($0) }.map(String.init)
        guard parts.count >= 4, let month = Int(parts[1]), months.indices.contains(month - 1) else { return "" }
        return "\(parts[2]) \(months[month - 1]) \(parts[0]) \(parts[3]) +0000"
    }
}
