/// Bytes that cannot be what they were handed in as.
///
/// `offset` counts bytes from the start of the input that was handed in, or of the structure named by `reason`.
public struct Malformed: Error, Hashable, Sendable, CustomStringConvertible {
    public var reason: String
    public var offset: Int

    public init(_ reason: String, at offset: Int) {
        self.reason = reason
        self.offset = offset
    }

    public var description: String { "\(reason) (byte \(offset))" }
}
