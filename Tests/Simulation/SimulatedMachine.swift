import EventBus
import EventSourcing
import Host

/// The content of a parcel.
enum Cargo {
    case ask(Command)
    case answer(key: String, Response)
    case message(Message)
}

/// A message on its way between two machines, or between a client and a machine.
struct Parcel {
    let from: Int
    /// The incarnation of the sender's process: its connections end with it.
    let incarnation: UInt64
    let to: Int
    let cargo: Cargo
    /// Whether its content differs from what was sent.
    private(set) var isDamaged = false

    /// Returns the parcel with one flipped bit in its first event; nil if it has no event.
    func damaged(_ chance: UInt64) -> Parcel? {
        guard case .message(let message) = cargo, message.kind == .page,
            message.payload.count > PackedEntries.overheadBytes
        else { return nil }
        let length = message.payload[..<4].reduce(0) { $0 << 8 | UInt64($1) }
        var payload = message.payload
        payload[PackedEntries.overheadBytes + Int(chance / 8 % length)] ^= 1 << UInt8(chance % 8)
        let other = Message(.page, request: message.request, header: message.header, payload: payload)
        var parcel = Parcel(from: from, incarnation: incarnation, to: to, cargo: .message(other))
        parcel.isDamaged = true
        return parcel
    }
}

/// A machine that runs one service of any type.
protocol SimulatedMachine: AnyObject {
    var origin: String { get }
    var isUp: Bool { get }
    var incarnation: UInt64 { get }
    /// The difference of its wall clock from the simulated time, in microseconds.
    var skew: Int64 { get set }
    /// The number of the machine's boot. The monotonic clock restarts with it.
    var boot: Int { get set }
    /// The time until which the process is paused.
    var pausedUntil: Int64 { get set }
    /// The point of its next round at which it will be killed.
    var armed: Failpoint? { get set }
    var disk: SimulatedDisk { get }
    /// The feeds whose subscription has stopped.
    var stopped: [String] { get }

    /// Whether its journal is restored from a backup at the next start.
    var isRestored: Bool { get set }

    /// Starts the process. Returns false if it must be tried again later, for example because the hub is not up.
    func start() throws -> Bool
    func crash() throws
    func arrive(_ parcel: Parcel)
    func tick()
    func round() throws
    /// Returns whether the feed's journal was received up to the position.
    func hasAll(of feed: String, through position: Position) -> Bool
    /// Returns the tables that differ from a rebuild.
    func differences() throws -> [String]
}
