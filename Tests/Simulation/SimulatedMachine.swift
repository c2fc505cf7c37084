import EventBus
import EventSourcing
import Host

/// What travels between machines.
enum Cargo {
    case ask(Command)
    case answer(key: String, Response)
    case message(Message)
}

/// Something on its way.
struct Parcel {
    let from: Int
    /// Which life of the sender's process sent it: a connection ends with the process.
    let life: UInt64
    let to: Int
    let cargo: Cargo
    /// It arrives otherwise than it was sent.
    private(set) var isDamaged = false

    /// With one bit of its first event changed; nil if it has none.
    func damaged(_ chance: UInt64) -> Parcel? {
        guard case .message(let message) = cargo, message.kind == .page,
            message.payload.count > PackedEntries.overheadBytes
        else { return nil }
        let length = message.payload[..<4].reduce(0) { $0 << 8 | UInt64($1) }
        var payload = message.payload
        payload[PackedEntries.overheadBytes + Int(chance / 8 % length)] ^= 1 << UInt8(chance % 8)
        let other = Message(.page, request: message.request, header: message.header, payload: payload)
        var parcel = Parcel(from: from, life: life, to: to, cargo: .message(other))
        parcel.isDamaged = true
        return parcel
    }
}

/// A machine with one service on it, whatever the service.
protocol SimulatedMachine: AnyObject {
    var origin: String { get }
    var isUp: Bool { get }
    var life: UInt64 { get }
    /// How far its clock is off, in microseconds.
    var skew: Int64 { get set }
    /// The start of the machine itself: the clock that nobody moves counts from it.
    var boot: Int { get set }
    /// It stands still until then.
    var pausedUntil: Int64 { get set }
    /// The point of its next round at which it dies.
    var armed: Failpoint? { get set }
    var disk: SimulatedDisk { get }
    /// Feeds that nothing more is read of.
    var stopped: [String] { get }

    /// Its journal is another one's copy when it starts again.
    var isRestored: Bool { get set }

    /// False where it has to wait for the hub to be there.
    func start() throws -> Bool
    func crash() throws
    func arrive(_ parcel: Parcel)
    func tick()
    func round() throws
    /// Everything of the feed's journal that can be read was taken in.
    func hasAll(of feed: String, through position: Position) -> Bool
    /// Tables folded anew that differ from the live ones.
    func differences() throws -> [String]
}
