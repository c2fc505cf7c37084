import Crypto
package import EventSourcing

/// The stored response of a command, with the digest of its request.
package struct StoredResponse: Sendable {
    package let digest: [UInt8]
    package let answer: Response
    /// Whether the stored checksum matches.
    package let isWhole: Bool

    package init(digest: [UInt8], answer: Response) {
        self.digest = digest
        self.answer = answer
        isWhole = true
    }

    /// Decodes a stored response and verifies its checksum.
    package init(digest: [UInt8], answer: Response, of command: CommandName, sum: Int64) {
        self.digest = digest
        self.answer = answer
        isWhole = Self.sum(digest, answer, of: command) == sum
    }

    package func lookup(of key: IdempotencyKey) -> IdempotencyLookup {
        guard isWhole else { return .damaged }
        return digest == key.digest ? .answered(answer) : .misused
    }

    /// Returns the checksum to store. No event contains the response, so only the checksum reveals a changed row.
    package func sum(of command: CommandName) -> Int64 { Self.sum(digest, answer, of: command) }

    /// Returns the response as it is sent to other machines.
    func numbered(_ number: Int64, of command: CommandName) -> NumberedResponse {
        NumberedResponse(
            number: number, actor: command.actor.text, key: command.key.text, digest: digest, status: answer.status,
            body: answer.body, sum: sum(of: command))
    }

    /// Returns the first 8 bytes, big-endian, of SHA-256 over actor, key, request digest, status and body.
    ///
    /// Actor, key and digest are preceded by their length (4 bytes, big-endian). The status has 4 bytes.
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
