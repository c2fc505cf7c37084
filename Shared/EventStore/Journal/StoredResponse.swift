import Crypto
package import EventSourcing

/// What a command was answered, with the digest of the request.
package struct StoredResponse: Sendable {
    package let digest: [UInt8]
    package let answer: Response
    /// Whether its sum is the one that was kept with it.
    package let isWhole: Bool

    package init(digest: [UInt8], answer: Response) {
        self.digest = digest
        self.answer = answer
        isWhole = true
    }

    /// As a store has it, with the sum that it keeps.
    package init(digest: [UInt8], answer: Response, of command: CommandName, sum: Int64) {
        self.digest = digest
        self.answer = answer
        isWhole = Self.sum(digest, answer, of: command) == sum
    }

    package func lookup(of key: IdempotencyKey) -> IdempotencyLookup {
        guard isWhole else { return .damaged }
        return digest == key.digest ? .answered(answer) : .misused
    }

    /// What a store keeps beside it. No event tells of an answer, so nothing else would find a row that was changed.
    package func sum(of command: CommandName) -> Int64 { Self.sum(digest, answer, of: command) }

    /// The first 8 bytes, big end first, of SHA-256 over actor, key and digest, each behind its length (4 bytes, big
    /// end first), the status (4 bytes) and the body.
    private static func sum(_ digest: [UInt8], _ answer: Response, of command: CommandName) -> Int64 {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(
            command.actor.text.utf8.count + command.key.text.utf8.count + digest.count + answer.body.count + 16)
        append(command.actor.text.utf8.count, command.actor.text.utf8, to: &bytes)
        append(command.key.text.utf8.count, command.key.text.utf8, to: &bytes)
        append(digest.count, digest, to: &bytes)
        append(answer.status, answer.body, to: &bytes)
        return Int64(bitPattern: SHA256.hash(bytes).prefix(8).reduce(0) { $0 << 8 | UInt64($1) })
    }

    private static func append(_ number: Int, _ content: some Sequence<UInt8>, to bytes: inout [UInt8]) {
        for shift in [24, 16, 8, 0] { bytes.append(UInt8(truncatingIfNeeded: number >> shift)) }
        bytes.append(contentsOf: content)
    }
}
