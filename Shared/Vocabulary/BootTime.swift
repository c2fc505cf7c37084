/// A time since the machine's start, sleep included; setting the clock does not change it.
public struct BootTime: Sendable, Equatable {
    /// Identifies that start of the machine.
    public let id: String
    /// Microseconds since the start.
    public let microseconds: Int64

    /// Creates a time since a start of the machine.
    public init(id: String, microseconds: Int64) {
        self.id = id
        self.microseconds = microseconds
    }
}
