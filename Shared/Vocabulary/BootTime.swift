/// A clock that counts from the machine's start, sleep included, and that nobody moves.
public struct BootTime: Sendable, Equatable {
    /// Names that start of the machine.
    public let id: String
    public let microseconds: Int64

    public init(id: String, microseconds: Int64) {
        self.id = id
        self.microseconds = microseconds
    }
}
