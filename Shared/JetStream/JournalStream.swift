import EventSourcing
import JSON
import NATS
import Vocabulary

/// The stream of one journal in the cluster, each message on three machines.
///
/// The protocol is JetStream's: requests in JSON, and atomic batches by headers (ADR-50).
final class JournalStream: MessageStream {
    let name: String
    let patience = Patience.servers
    private let subject: String
    private let connection: NATSConnection

    init(of origin: Origin, on connection: NATSConnection) throws(LogFailure) {
        let isPlain = origin.site.utf8.allSatisfy { byte in
            byte == UInt8(ascii: "-") || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
                || (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte)
                || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte)
        }
        guard isPlain else {
            throw LogFailure(
                operation: "open", message: "in a cluster FURROW_SITE has letters, digits and hyphens only")
        }
        name = "journal_\(origin.service)_\(origin.site)-\(origin.slot)"
        subject = "journal.\(origin.service).\(origin.site)-\(origin.slot)"
        self.connection = connection
    }

    // MARK: The stream

    func describe() throws(JetStreamError) -> StreamDescription? {
        do throws(JetStreamError) {
            return try Self.description(of: try call("STREAM.INFO.\(name)"))
        } catch .refused(JetStreamError.Code.noStream, _) {
            return nil
        }
    }

    /// Creates the stream on three machines, synced, without a limit of age or size.
    func create(identity: String) throws(JetStreamError) -> StreamDescription {
        var json = JSONWriter()
        json.object { json in
            json.field("name", name)
            json.field("subjects", ["\(subject).*"])
            json.field("retention", "limits")
            json.field("storage", "file")
            json.field("discard", "new")
            json.field("num_replicas", JetStreamLimits.replicas)
            json.field("duplicate_window", JetStreamLimits.duplicateMinutes * 60_000_000_000)
            json.field("deny_delete", true)
            json.field("allow_direct", true)
            json.field("allow_atomic", true)
            json.field("metadata", object: { json in json.field(Self.identityKey, identity) })
        }
        return try Self.description(of: try call("STREAM.CREATE.\(name)", json.bytes))
    }

    private static let identityKey = "furrow-log"

    private static func description(of json: JSONValue) throws(JetStreamError) -> StreamDescription {
        do throws(JSONError) {
            let metadata = try json.get("config", as: JSONValue.self)["metadata"]
            return StreamDescription(
                identity: try metadata?.find(identityKey) ?? "",
                last: try json.get("state", as: JSONValue.self).get("last_seq"),
                version: try metadata?.find("_nats.ver"))
        } catch {
            throw .refused(code: 0, "its description of the stream cannot be read: \(error)")
        }
    }

    // MARK: Appending

    func append(_ messages: [NewMessage], after last: Int64, batch: String) throws(JetStreamError) -> Int64 {
        let attempt = "\(batch)-\(UInt32.random(in: 0 ... .max))"
        var reply: NATSReply?
        do throws(NATSError) {
            for (index, message) in messages.enumerated() {
                var headers: [(name: String, value: String)] = []
                if index == 0 { headers += [(Header.expectedLast, "\(last)"), (Header.batchName, batch)] }
                if let id = message.id { headers.append((Header.id, "\(id)")) }
                if messages.count > 1 {
                    headers += [(Header.batch, attempt), (Header.batchSequence, "\(index + 1)")]
                }
                let isLast = index == messages.count - 1
                if isLast, messages.count > 1 { headers.append((Header.batchCommit, "1")) }
                let made = NATSMessage("\(subject).\(message.kind.rawValue)", headers: headers, body: message.body)
                if isLast {
                    reply = try connection.request(made, milliseconds: JetStreamLimits.requestMilliseconds)
                } else {
                    try connection.publish(made)
                }
            }
        } catch {
            throw JetStreamError(error)
        }
        guard let reply else { return last }
        let json = try Self.read(reply)
        do throws(JSONError) {
            return try json.get("seq")
        } catch {
            throw .unreachable("its acknowledgement cannot be read: \(error)")
        }
    }

    // MARK: Reading

    func message(at sequence: Int64) throws(JetStreamError) -> StoredMessage? {
        try find { $0.field("seq", sequence) }
    }

    func last(_ kind: MessageKind) throws(JetStreamError) -> StoredMessage? {
        try find { $0.field("last_by_subj", "\(subject).\(kind.rawValue)") }
    }

    func event(from sequence: Int64) throws(JetStreamError) -> StoredMessage? {
        try find { json in
            json.field("seq", sequence)
            json.field("next_by_subj", "\(subject).\(MessageKind.event.rawValue)")
        }
    }

    func removeEvents(before sequence: Int64) throws(JetStreamError) {
        var request = JSONWriter()
        request.object { json in
            json.field("filter", "\(subject).\(MessageKind.event.rawValue)")
            json.field("seq", sequence)
        }
        _ = try call("STREAM.PURGE.\(name)", request.bytes)
    }

    private func find(_ which: (inout JSONWriter) -> Void) throws(JetStreamError) -> StoredMessage? {
        var request = JSONWriter()
        request.object { which(&$0) }
        let found: JSONValue
        do throws(JetStreamError) {
            found = try call("STREAM.MSG.GET.\(name)", request.bytes)
        } catch .refused(JetStreamError.Code.noMessage, _) {
            return nil
        }
        do throws(JSONError) {
            let message = try found.get("message", as: JSONValue.self)
            let headers = BaseEncoding.base64.decode(try message.find("hdrs") ?? "") ?? []
            let body = BaseEncoding.base64.decode(try message.find("data") ?? "") ?? []
            guard let kind = kind(of: try message.get("subject")) else { return nil }
            return StoredMessage(
                sequence: try message.get("seq"), kind: kind, batch: Self.value(of: Header.batchName, in: headers),
                body: body)
        } catch {
            throw .refused(code: 0, "a message of the stream cannot be read: \(error)")
        }
    }

    /// Returns the value of a header in the text that JetStream stores.
    private static func value(of name: String, in headers: [UInt8]) -> String? {
        String(decoding: headers, as: UTF8.self).split(separator: "\r\n").first { $0.hasPrefix("\(name): ") }
            .map { String($0.dropFirst(name.utf8.count + 2)) }
    }

    func read(after sequence: Int64, of one: MessageKind?) throws(JetStreamError) -> [StoredMessage] {
        var request = JSONWriter()
        request.object { json in
            json.field("seq", sequence + 1)
            json.field("next_by_subj", "\(subject).\(one?.rawValue ?? ">")")
            json.field("batch", JetStreamLimits.pageMessages)
            json.field("max_bytes", JetStreamLimits.pageBytes)
        }
        var page: [StoredMessage] = []
        do throws(NATSError) {
            try connection.request(
                "$JS.API.DIRECT.GET.\(name)", body: request.bytes, milliseconds: JetStreamLimits.requestMilliseconds
            ) { (reply) throws(NATSError) in
                // The end of the page, or that there is nothing to read.
                guard reply.header(Header.status) == nil else { return false }
                guard let number = reply.header(Header.sequence).flatMap({ Int64($0) }),
                    let kind = reply.header(Header.subject).flatMap(kind)
                else { throw NATSError(operation: "read", reason: "a message of the stream has no number") }
                page.append(
                    StoredMessage(sequence: number, kind: kind, batch: reply.header(Header.batchName), body: reply.body)
                )
                return true
            }
        } catch {
            throw JetStreamError(error)
        }
        return page
    }

    private func kind(of subject: String) -> MessageKind? {
        guard subject.hasPrefix("\(self.subject).") else { return nil }
        return MessageKind(rawValue: String(subject.dropFirst(self.subject.utf8.count + 1)))
    }

    // MARK: Requests

    private func call(_ verb: String, _ body: [UInt8] = []) throws(JetStreamError) -> JSONValue {
        let reply: NATSReply
        do throws(NATSError) {
            reply = try connection.request(
                NATSMessage("$JS.API.\(verb)", body: body), milliseconds: JetStreamLimits.requestMilliseconds)
        } catch {
            throw JetStreamError(error)
        }
        return try Self.read(reply)
    }

    /// Reads a reply. Throws what the cluster says in it.
    private static func read(_ reply: NATSReply) throws(JetStreamError) -> JSONValue {
        let json: JSONValue
        let problem: (status: Int, code: Int, text: String)?
        do throws(JSONError) {
            json = try JSONValue.parse(reply.body)
            problem = try json["error"].map { (error) throws(JSONError) in
                (
                    try error.find("code") ?? 0, try error.find("err_code") ?? 0,
                    try error.find("description") ?? "no reason"
                )
            }
        } catch {
            throw .unreachable("its reply cannot be read: \(error)")
        }
        guard let problem else { return json }
        // 503: there is no leader, or too few machines.
        if problem.status == 503 || problem.code == JetStreamError.Code.noPeers { throw .unreachable(problem.text) }
        throw .refused(code: problem.code, problem.text)
    }
}
