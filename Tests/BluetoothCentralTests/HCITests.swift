import Testing

@testable import BluetoothCentral
@testable import Radio

@Suite("Packets between a hub and its controller")
struct HCITests {
    private let peer = Peripheral(address: 0x546C_0E00_0001, isRandomAddress: true)

    @Test func `commands have the bytes of the specification`() {
        #expect(HCICommand.reset.bytes == [1, 3, 0x0C, 0])
        // The default mask, and bit 61: LE Meta.
        #expect(HCICommand.setEventMask.bytes == [1, 1, 0x0C, 8, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x1F, 0, 0x20])
        #expect(HCICommand.setScanParameters.bytes == [1, 0x0B, 0x20, 7, 1, 0x60, 0, 0x30, 0, 0, 0])
        #expect(HCICommand.setScan(true).bytes == [1, 0x0C, 0x20, 2, 1, 0])
        #expect(
            HCICommand.connect(peer).bytes == [
                1, 0x0D, 0x20, 25, 0x60, 0, 0x30, 0, 0, 1, 1, 0, 0, 0x0E, 0x6C, 0x54, 0, 0x18, 0, 0x28, 0, 0, 0, 0x90,
                1, 0, 0, 0, 0,
            ])
        #expect(HCICommand.disconnect(0x40).bytes == [1, 6, 4, 3, 0x40, 0, 0x13])
    }

    @Test func `events are read, and none of them if its end is missing`() throws {
        let connected: [UInt8] = [
            4, 0x3E, 19, 1, 0, 0x40, 0, 0, 1, 1, 0, 0, 0x0E, 0x6C, 0x54, 0x28, 0, 0, 0, 0x90, 1, 0,
        ]
        let cases: [([UInt8], HCIMessage)] = [
            ([4, 0x0E, 4, 1, 3, 0x0C, 0], .complete(opcode: 0x0C03, status: 0, parameters: [])),
            ([4, 0x0E, 3, 1, 0, 0], .other),
            ([4, 0x0F, 4, 0x0C, 1, 0x0D, 0x20], .status(opcode: 0x200D, status: 0x0C)),
            ([4, 5, 4, 0, 0x40, 0, 8], .disconnected(status: 0, handle: 0x40, reason: 8)),
            ([4, 0x13, 9, 2, 0x40, 0, 2, 0, 0x41, 0, 1, 0], .sent([0x40: 2, 0x41: 1])),
            ([4, 0x10, 1, 7], .hardwareError(7)),
            (connected, .connected(status: 0, handle: 0x40, peer)),
            ([2, 0x40, 0x20, 3, 0, 7, 8, 9], .data(handle: 0x40, isStart: true, [7, 8, 9])),
            ([2, 0x40, 0x10, 1, 0, 7], .data(handle: 0x40, isStart: false, [7])),
        ]
        for (bytes, message) in cases {
            #expect(try HCIMessage(bytes) == message)
            for end in 1..<min(bytes.count, 7) {
                #expect(throws: Malformed.self, "\(bytes) cut at \(end)") { try HCIMessage(Array(bytes[..<end])) }
            }
        }
    }

    @Test func `a message is divided into packets of the controller's size, and joined again`() throws {
        let message = (0..<60).map(UInt8.init)
        let packets = LogicalChannel.packets(message, channel: 4, handle: 0x40, size: 27)
        #expect(packets.map(\.count) == [32, 32, 15])
        #expect(packets.map { $0[2] & 0x30 } == [0, 0x10, 0x10])
        var frames = FrameAssembler()
        for (index, packet) in packets.enumerated() {
            let whole = try frames.take(Array(packet[5...]), isStart: index == 0)
            #expect((whole != nil) == (index == 2))
            if let whole { #expect(whole.channel == 4 && whole.payload == message) }
        }
    }

    @Test func `a message that is longer than it says, or than the limit, is refused, and the next one is read`() throws
    {
        var frames = FrameAssembler()
        #expect(throws: Malformed.self) { try frames.take([1, 0, 4, 0, 7, 8], isStart: true) }
        #expect(throws: Malformed.self) { try frames.take([0xFF, 0xFF, 4, 0], isStart: true) }
        // The rest of a message whose start was not received, and one that was not finished.
        #expect(try frames.take([9, 9], isStart: false) == nil)
        #expect(try frames.take([9, 0, 4, 0, 1], isStart: true) == nil)
        let whole = try frames.take([1, 0, 4, 0, 7], isStart: true)
        #expect(whole?.payload == [7])
    }

    @Test func `other parameters of a connection are declined`() {
        #expect(LogicalChannel.signal([0x12, 5, 8, 0, 6, 0, 6, 0, 0, 0, 100, 0]) == [0x13, 5, 2, 0, 1, 0])
        #expect(LogicalChannel.signal([0x14, 6, 0, 0]) == [0x01, 6, 2, 0, 0, 0])
        #expect(LogicalChannel.signal([0x01, 6, 2, 0, 0, 0]) == nil)
        #expect(LogicalChannel.signal([0x12, 5]) == nil)
    }

    @Test func `one command is unanswered at a time`() {
        var queue = CommandQueue()
        queue.add(.reset)
        queue.add(.setEventMask)
        #expect(queue.start(at: 0) == .reset)
        #expect(queue.start(at: 0) == nil)
        #expect(queue.end(HCICommand.setEventMask.opcode) == nil)
        #expect(queue.end(HCICommand.reset.opcode) == .reset)
        #expect(queue.start(at: 0) == .setEventMask)
    }

    @Test func `the controller gets as many packets as it has room for, and a connection's end frees its room`() {
        var queue = SendQueue()
        queue.configure(size: 27, room: 2)
        #expect(queue.add([[1], [2], [3], [4]], handle: 7) == true)
        #expect(queue.take() == [[1], [2]])
        #expect(queue.take() == [])
        queue.note(sent: [7: 1, 8: 5])
        #expect(queue.take() == [[3]])
        queue.close(7)
        #expect(queue.add([[5], [6], [7]], handle: 8) == true)
        #expect(queue.take() == [[5], [6]])
        #expect(queue.add(Array(repeating: [0], count: CentralLimits.waitingPackets), handle: 8) == false)
    }
}
