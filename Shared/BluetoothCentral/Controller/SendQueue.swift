/// The ACL packets to a controller, of which it takes only as many as it has room for (Bluetooth Core, volume 4,
/// part E, 4.1.1).
struct SendQueue: Sendable {
    /// The most bytes of data in one packet; the number of packets that the controller can take is `room`.
    private(set) var size = 27
    private var room = 1
    private var waiting: [(handle: UInt16, packet: [UInt8])] = []
    /// The packets that the controller has not sent yet, by connection.
    private var unsent: [UInt16: Int] = [:]

    mutating func configure(size: Int, room: Int) {
        (self.size, self.room) = (size, room)
    }

    /// Queues the packets of a message. Returns false, and queues nothing, if too many wait already.
    mutating func add(_ packets: [[UInt8]], handle: UInt16) -> Bool {
        guard waiting.count + packets.count <= CentralLimits.waitingPackets else { return false }
        waiting += packets.map { (handle, $0) }
        return true
    }

    /// Removes and returns the packets for which the controller has free buffers.
    mutating func take() -> [[UInt8]] {
        var packets: [[UInt8]] = []
        while room > 0, !waiting.isEmpty {
            let (handle, packet) = waiting.removeFirst()
            room -= 1
            unsent[handle, default: 0] += 1
            packets.append(packet)
        }
        return packets
    }

    /// Notes that the controller has sent packets. It cannot have sent more than it was given.
    mutating func note(sent counts: [UInt16: Int]) {
        for (handle, count) in counts {
            let known = min(max(count, 0), unsent[handle] ?? 0)
            unsent[handle] = (unsent[handle] ?? 0) - known
            room += known
        }
    }

    /// Drops the packets of a connection that has ended; the controller's room for them is free again.
    mutating func close(_ handle: UInt16) {
        waiting.removeAll { $0.handle == handle }
        room += unsent.removeValue(forKey: handle) ?? 0
    }
}
