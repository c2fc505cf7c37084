import Glibc
import Synchronization

/// One connection: its client's address and its current deadline.
final class Peer: Sendable {
    private enum Occupation {
        case none
        case waiting(PendingResponse)
        case streaming(StreamBuffer)
    }

    let id: UInt64
    let socket: Int32
    let address: String
    /// Whether it is a trusted proxy; set before any other thread can access the peer.
    private let proxy = Atomic(false)
    /// Seconds of the monotonic clock; `Int.max` for no deadline.
    private let deadline: Atomic<Int>
    private let occupation = Mutex(Occupation.none)

    init(id: UInt64, socket: Int32, headSeconds: Int) {
        self.id = id
        self.socket = socket
        address = Self.name(of: socket)
        deadline = Atomic(Peer.now() + headSeconds)
    }

    /// Whole seconds of the monotonic clock.
    static func now() -> Int {
        var time = timespec()
        unsafe clock_gettime(CLOCK_MONOTONIC, &time)
        return time.tv_sec
    }

    /// Sets the deadline of the next step, in seconds from now; nil removes it.
    func expect(within seconds: Int?) {
        deadline.store(seconds.map { Peer.now() + $0 } ?? .max, ordering: .relaxed)
    }

    var isProxy: Bool {
        get { proxy.load(ordering: .relaxed) }
        set { proxy.store(newValue, ordering: .relaxed) }
    }

    func isLate(at second: Int) -> Bool { deadline.load(ordering: .relaxed) <= second }

    func wait(for turn: PendingResponse) { occupation.withLock { $0 = .waiting(turn) } }

    func stream(_ buffer: StreamBuffer) { occupation.withLock { $0 = .streaming(buffer) } }

    func rest() { occupation.withLock { $0 = .none } }

    /// The response that the handler has not given yet; nil if there is none.
    var waitingTurn: PendingResponse? {
        occupation.withLock { if case .waiting(let turn) = $0 { turn } else { nil } }
    }

    /// The stream that is sent to this client; nil if there is none.
    var streamBuffer: StreamBuffer? {
        occupation.withLock { if case .streaming(let buffer) = $0 { buffer } else { nil } }
    }

    /// Returns the numeric address of a socket's peer; an IPv4-mapped address in its IPv4 form.
    private static func name(of socket: Int32) -> String {
        var storage = sockaddr_storage()
        var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
        var name = [CChar](repeating: 0, count: Int(NI_MAXHOST))
        let failed = unsafe withUnsafeMutablePointer(to: &storage) { storage in
            unsafe storage.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                guard unsafe getpeername(socket, address, &length) == 0 else { return true }
                return unsafe getnameinfo(
                    address, length, &name, socklen_t(name.count), nil, 0, NI_NUMERICHOST) != 0
            }
        }
        guard !failed else { return "" }
        let text = String(decoding: name.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
        return text.hasPrefix("::ffff:") ? String(text.dropFirst(7)) : text
    }
}
