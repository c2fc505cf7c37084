/// The error of bytes that violate their format, or that are encrypted with an unknown key.
///
/// `offset` counts bytes from the start of the input, or of the structure named by `reason`.
public struct Malformed: Error, Hashable, Sendable, CustomStringConvertible {
    public var reason: String
    public var offset: Int
    /// Whether the bytes may be well-formed but are encrypted with an unknown key, such as a neighbour's.
    public var isSealed: Bool
    /// Whether bytes are missing at the end, as in a packet that was cut off in transit.
    public var isCutOff: Bool

    public init(_ reason: String, at offset: Int, isSealed: Bool = false, isCutOff: Bool = false) {
        self.reason = reason
        self.offset = offset
        self.isSealed = isSealed
        self.isCutOff = isCutOff
    }

    public var description: String { "\(reason) (byte \(offset))" }
}
