public import Vocabulary

/// One packet of a capture file, with its time of reception and its medium.
public struct CapturedFrame: Hashable, Sendable {
    /// Its number in the file, counting from 1.
    public var number: Int
    public var time: Instant
    public var medium: Medium
    public var bytes: [UInt8]

    public init(number: Int, time: Instant, medium: Medium, bytes: [UInt8]) {
        self.number = number
        self.time = time
        self.medium = medium
        self.bytes = bytes
    }

    /// The medium that the packet was received on.
    public enum Medium: Hashable, Sendable {
        /// A packet in H4 form.
        case bluetooth
        /// A MAC frame without its check sequence.
        case ieee802154
    }
}
