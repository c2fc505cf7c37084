import EventSourcing
import Events
import Host
import Vocabulary
import Wire

/// Delivers the outbox: messages that events cause are sent and retried until they are accepted or have failed.
extension SyncGateway {
    mutating func sendMessages(_ tables: any Tables) -> [Effect] {
        let rows = tables.scan(OutboxRow.self, prefix: "", after: sending.seen, limit: GatewayLimits.messages)
        // The next scan continues behind these rows, so that messages waiting for one recipient do not hide those for
        // another.
        sending.seen = rows.count == GatewayLimits.messages ? rows.last?.key : nil
        let sayable = rows.filter { $0.to != .sandbox || provider != nil }
        return sending.take(sayable, at: tick).flatMap { send($0, tables) }
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
                guard let mailer else { return giveUp(row, "no mail server is configured (FURROW_SMTP)") }
                guard let letter = try letter(for: row, tables) else {
                    return giveUp(row, "the person no longer has an account")
                }
                return try begin(.say(row), most: GatewayLimits.flyingMessages) { mailer.deliver(letter) }
            }
        } catch {
            return sending.fail(row.key, at: tick) ? [] : giveUp(row, "the gateway is busy")
        }
    }

    /// Handles the result of a delivery: the status in two bytes, then the response; empty if there was no response.
    mutating func said(_ row: OutboxRow, _ result: [UInt8]) -> [Effect] {
        guard result.count >= 2 else { return tryLater(row, "there was no response") }
        let status = Int(result[0]) * 256 + Int(result[1])
        let words = row.to == .mail ? String(decoding: result.dropFirst(2).prefix(200), as: UTF8.self) : nil
        guard status < 500, status != 429, status != 408 else {
            return tryLater(row, words ?? "answered with \(status)")
        }
        guard (200...299).contains(status) else { return giveUp(row, words ?? "refused with \(status)") }
        switch row.to {
        case .sandbox: return answered(row, Array(result.dropFirst(2)))
        case .mail: return finish(row)
        }
    }

    mutating func tryLater(_ row: OutboxRow, _ reason: String) -> [Effect] {
        sending.fail(row.key, at: tick) ? [.note(OperatorEvent("messages_delayed"))] : giveUp(row, reason)
    }

    mutating func finish(_ row: OutboxRow) -> [Effect] {
        sending.finish(row.key)
        guard let message = UUID(row.key) else { return [] }
        return [append(MessageSent(message: message, to: row.to.rawValue), "sent", message, causedBy: row.cause)]
    }

    private mutating func giveUp(_ row: OutboxRow, _ reason: String) -> [Effect] {
        sending.finish(row.key)
        guard let message = UUID(row.key) else { return [] }
        let event = MessageGaveUp(message: message, to: row.to.rawValue, reason: reason)
        return [append(event, "gave-up", message, causedBy: row.cause), .note(OperatorEvent("messages_given_up"))]
    }

    private func append(_ event: any Event, _ what: String, _ message: UUID, causedBy cause: UUID) -> Effect {
        .append([
            Draft(
                event, in: "message/\(message)", id: .named("\(what)|\(message)", in: .furrow),
                by: .service(Self.name), causation: cause)
        ])
    }
}
