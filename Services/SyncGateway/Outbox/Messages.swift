import EventSourcing
import Events
import Host
import Vocabulary
import Wire

/// Delivers the outbox: messages that events cause are sent and retried until they are accepted, have failed, or are
/// withdrawn.
extension SyncGateway {
    mutating func sendMessages(_ tables: any Tables) -> [Effect] {
        let rows = tables.scan(OutboxRow.self, prefix: "", after: sending.seen, limit: GatewayLimits.messages)
        // The next scan continues behind these rows, so that messages waiting for one recipient do not hide those for
        // another.
        sending.seen = rows.count == GatewayLimits.messages ? rows.last?.key : nil
        // One that is in flight may be accepted; its outcome is awaited.
        let withdrawn = rows.filter { $0.withdrawn != nil && !sending.isFlying($0.key) }
        let sayable = rows.filter { $0.withdrawn == nil && ($0.to != .sandbox || provider != nil) }
        return withdrawn.flatMap { withdraw($0, $0.withdrawn ?? "") }
            + sending.take(sayable, at: tick).flatMap { send($0, tables) }
    }

    private mutating func send(_ row: OutboxRow, _ tables: any Tables) -> [Effect] {
        do throws(Problem) {
            switch row.to {
            case .sandbox:
                guard let provider else { return [] }
                return try begin(.say(row), most: GatewayLimits.flyingMessages) {
                    provider.say(row.path, row.body, key: row.key)
                }
            case .mail:
                guard let mailer else { return withoutMailServer(row, tables) }
                guard let letter = try letter(for: row, tables) else {
                    return giveUp(row, "the person no longer has an account")
                }
                return try begin(.say(row), most: GatewayLimits.flyingMessages) { mailer.deliver(letter) }
            case .webhook, .push:
                switch try prepare(row, tables) {
                case .withdraw(let reason): return withdraw(row, reason)
                case .fail(let reason): return giveUp(row, reason)
                case .send(let request):
                    return try begin(.say(row), most: GatewayLimits.flyingMessages) { [sender] in sender.send(request) }
                }
            }
        } catch {
            return sending.fail(row.key, at: tick, error.detail) ? [] : giveUp(row, "the gateway is busy")
        }
    }

    /// An e-mail fails without a mail server, unless another channel reaches the person.
    private mutating func withoutMailServer(_ row: OutboxRow, _ tables: any Tables) -> [Effect] {
        let reason = "no mail server is configured (FURROW_SMTP)"
        guard let person = AlarmMessage(row)?.person ?? ServerMessage(row)?.person else { return giveUp(row, reason) }
        let own = tables.find(
            ChannelRow.self, where: "person", is: person.rawValue, limit: GatewayLimits.channelsOfPerson)
        return own.contains { $0.state == .active } ? withdraw(row, reason) : giveUp(row, reason)
    }

    /// Handles the result of a delivery: the status in two bytes, then the response; empty if there was no response.
    mutating func said(_ row: OutboxRow, _ result: [UInt8]) -> [Effect] {
        if row.channel != nil { return delivered(row, DeliveryResult(result)) }
        guard result.count >= 2 else { return tryLater(row, "there was no response") }
        let status = Int(result[0]) * 256 + Int(result[1])
        let words = row.to == .mail ? String(decoding: result.dropFirst(2).prefix(200), as: UTF8.self) : nil
        guard status < 500, status != 429, status != 408 else {
            return tryLater(row, words ?? "answered with \(status)")
        }
        guard (200...299).contains(status) else { return giveUp(row, words ?? "refused with \(status)") }
        return row.to == .sandbox ? answered(row, Array(result.dropFirst(2))) : finish(row)
    }

    /// - Parameter seconds: the shortest time until the next attempt.
    mutating func tryLater(_ row: OutboxRow, _ reason: String, after seconds: Int = 0) -> [Effect] {
        sending.fail(row.key, at: tick, reason, after: seconds)
            ? [.note(OperatorEvent("messages_delayed"))] : giveUp(row, reason)
    }

    mutating func finish(_ row: OutboxRow) -> [Effect] {
        sending.finish(row.key)
        guard let message = UUID(row.key) else { return [] }
        return [append(MessageSent(message: message, to: row.to.rawValue), "sent", message, causedBy: row.cause)]
    }

    mutating func giveUp(_ row: OutboxRow, _ reason: String) -> [Effect] {
        sending.finish(row.key)
        guard let message = UUID(row.key) else { return [] }
        let event = MessageGaveUp(message: message, to: row.to.rawValue, reason: reason)
        return [append(event, "gave-up", message, causedBy: row.cause), .note(OperatorEvent("messages_given_up"))]
    }

    private mutating func withdraw(_ row: OutboxRow, _ reason: String) -> [Effect] {
        sending.finish(row.key)
        guard let message = UUID(row.key) else { return [] }
        let event = MessageWithdrawn(message: message, to: row.to.rawValue, reason: reason)
        return [append(event, "withdrawn", message, causedBy: row.cause)]
    }

    private func append(_ event: any Event, _ what: String, _ message: UUID, causedBy cause: UUID) -> Effect {
        .append([
            Draft(
                event, in: "message/\(message)", id: .named("\(what)|\(message)", in: .furrow),
                by: .service(Self.name), causation: cause)
        ])
    }
}
