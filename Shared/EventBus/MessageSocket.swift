import Glibc
import ZeroMQ

/// A socket of the bus that returns whole messages. It counts and drops malformed ones.
struct MessageSocket {
    /// A message and its sender.
    struct ReceivedMessage {
        /// The routing id of the sender; empty on a socket that dialled.
        let peer: [UInt8]
        /// The sender's authenticated name, or the name of the dialled peer whose key CURVE has verified.
        let user: String?
        let message: Message
    }

    let socket: Socket
    private let isBound: Bool
    private let host: String?
    private var dialled: String?

    /// Binds a socket for many peers.
    ///
    /// - Parameter linger: milliseconds for which the last messages may still be sent after the socket is closed.
    init(
        binding endpoint: String, in context: Context, queue: Int, curve: Curve?, linger: Int = 0
    ) throws(BusError) {
        do throws(ZeroMQError) {
            socket = try Socket(.router, in: context, options: Self.options(queue, curve, linger))
            try socket.bind(endpoint)
        } catch { throw .transport(error) }
        isBound = true
        host = nil
    }

    /// Dials one peer; messages are queued only while it is connected.
    ///
    /// - Parameters:
    ///   - endpoint: nil while the address is unknown; `redial` sets it.
    ///   - host: name of the peer, if the keys of `curve` prove it.
    ///   - linger: milliseconds for which the last messages may still be sent after the socket is closed.
    init(
        dialling endpoint: String?, in context: Context, queue: Int, curve: Curve?, host: String? = nil,
        linger: Int = 0
    ) throws(BusError) {
        var options = Self.options(queue, curve, linger)
        options.immediate = true
        do throws(ZeroMQError) { socket = try Socket(.dealer, in: context, options: options) } catch {
            throw .transport(error)
        }
        isBound = false
        self.host = host
        if let endpoint { try redial(endpoint) }
    }

    /// Disconnects from the peer and dials it at another address.
    mutating func redial(_ endpoint: String) throws(BusError) {
        do throws(ZeroMQError) {
            if let dialled { try socket.disconnect(dialled) }
            dialled = nil
            try socket.connect(endpoint)
        } catch { throw .transport(error) }
        dialled = endpoint
    }

    private static func options(_ queue: Int, _ curve: Curve?, _ linger: Int) -> SocketOptions {
        var options = SocketOptions()
        options.linger = linger
        options.maxMessageBytes = BusLimits.frameBytes
        options.sendHighWater = queue
        options.receiveHighWater = queue
        options.curve = curve
        return options
    }

    /// Returns the next message, or nil if there is none or `budget` is used up. Every message takes one from `budget`.
    func receive(_ budget: inout Int, counting counts: inout BusCounts) throws(BusError) -> ReceivedMessage? {
        while budget > 0 {
            budget -= 1
            do throws(ZeroMQError) {
                guard let (frames, user) = try socket.receiveWithUser() else { return nil }
                let peer = isBound ? frames.first ?? [] : []
                let message = Self.read(isBound ? frames.dropFirst() : frames[...])
                switch message {
                case .success(let message): return ReceivedMessage(peer: peer, user: user ?? host, message: message)
                case .failure(let anomaly): counts.note(anomaly)
                }
            } catch {
                // The message had too many frames and is gone; the socket stays usable.
                guard error.code == EMSGSIZE else { throw .transport(error) }
                counts.note(.malformedMessage)
            }
        }
        return nil
    }

    private static func read(_ frames: ArraySlice<[UInt8]>) -> Result<Message, BusAnomaly> {
        Result { () throws(BusAnomaly) in try Message(frames) }
    }

    /// Sends a message; returns false if the peer is gone, not connected yet, or too slow.
    func send(_ message: Message, to peer: [UInt8] = []) throws(BusError) -> Bool {
        do throws(ZeroMQError) {
            return try socket.send(isBound ? [peer, message.head, message.header, message.payload] : message.frames)
        } catch { throw .transport(error) }
    }

    /// Whether a peer is connected and can accept a message now.
    func isOpen() throws(BusError) -> Bool {
        do throws(ZeroMQError) { return try socket.isWritable() } catch { throw .transport(error) }
    }
}
