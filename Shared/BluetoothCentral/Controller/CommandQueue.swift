/// The commands to a controller, of which one is unanswered at a time.
struct CommandQueue: Sendable {
    private var waiting: [HCICommand] = []
    private(set) var running: HCICommand?
    /// The moment by which the response to the running command must have come, in monotonic microseconds.
    private(set) var deadline: Int64?

    mutating func add(_ command: HCICommand) { waiting.append(command) }

    /// Starts the next command and returns it, or nil if there is none or the running one has not ended.
    mutating func start(at now: Int64) -> HCICommand? {
        guard running == nil, !waiting.isEmpty else { return nil }
        running = waiting.removeFirst()
        deadline = now + CentralLimits.commandMicroseconds
        return running
    }

    /// Ends the running command if it is the one with this opcode, and returns it.
    mutating func end(_ opcode: UInt16) -> HCICommand? {
        guard let command = running, command.opcode == opcode else { return nil }
        (running, deadline) = (nil, nil)
        return command
    }
}
