/// Bytes that cannot be what they were handed in as, or that are closed to us.
///
/// `offset` counts bytes from the start of the input that was handed in, or of the structure named by `reason`.
public struct Malformed: Error, Hashable, Sendable, CustomStringConvertible {
    public var reason: String
    public var offset: Int
    /// Whether the bytes may be well, but lie under a key that is not known here, as a neighbour's do.
    public var isSealed: Bool
    /// Whether bytes are missing at the end, as of a packet that was cut off on its way.
    public var isCutOff: Bool

    public init(_ reason: String, at offset: Int, isSealed: Bool = false, isCutOff: Bool = false) {
        self.reason = reason
        self.offset = offset
        self.isSealed = isSealed
        self.isCutOff = isCutOff
    }

    public var description: String { "\(reason) (byte \(offset))" }
}
