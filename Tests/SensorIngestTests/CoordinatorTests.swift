import EventSourcing
import Events
import Host
import JSON
import Radio
import Testing
import Vocabulary

@Suite("Coordinators on a serial line")
struct CoordinatorTests {
    private let info = DeviceObjectMessage.DeviceInfo(
        status: 0, ieee: 0x0012_4B00_0F00_0000, short: 0, kinds: 7, state: 9, children: [])

    private func info(state: UInt8) -> ZNPMessage {
        var info = info
        info.state = state
        return .deviceObject(.deviceInfo(info))
    }

    private func version(product: UInt8) -> ZNPMessage {
        .system(
            .version(.init(transport: 2, product: product, major: 2, minor: 7, maintenance: 1, revision: 20_211_217)))
    }

    /// The record of a formed network: channel 15, number 1A62.
    private var formed: ZNPMessage {
        var record = [UInt8](repeating: 0, count: NetworkRecord.packedBytes)
        (record[22], record[33], record[34], record[61]) = (15, 0x62, 0x1A, 1)
        return .memory(.value(status: 0, bytes: record))
    }

    /// Reads the memory of a coordinator that was formed, until its network is started.
    private func startOrder(_ bench: Bench, product: UInt8) throws -> [ZNPMessage] {
        try bench.wait(seconds: 0.1)
        for answer in [.system(.pong(capabilities: 0x0659)), version(product: product), info(state: 0)] {
            try bench.hear(answer.bytes)
        }
        _ = bench.takeOrders()
        try bench.hear(formed.bytes)
        guard product != 0 else { return bench.takeOrders() }
        #expect(bench.takeOrders() == [.memory(.read(item: MemoryItem.isOnNetwork, offset: 0))])
        try bench.hear(ZNPMessage.memory(.value(status: 0, bytes: [1])).bytes)
        return bench.takeOrders()
    }

    @Test func `a coordinator without a network is left as it is, and says so`() throws {
        let bench = try Bench()
        try bench.wait(seconds: 0.1)
        for answer in [.system(.pong(capabilities: 0x0659)), version(product: 0), info(state: 0)] {
            try bench.hear(answer.bytes)
        }
        _ = bench.takeOrders()
        try bench.hear(ZNPMessage.memory(.value(status: 2, bytes: [])).bytes)
        try bench.wait(seconds: 30)
        #expect(bench.takeOrders().isEmpty)
        let items = try bench.ask("coordinators", "{}").json["items"]?.array.map { Array($0) } ?? []
        #expect(try items.map { try $0.get("state", as: String.self) } == ["blank"])
        let refusal = try bench.ask("permit-joining", #"{"source": "\#(Bench.line)", "seconds": 60}"#)
        #expect(refusal.status == 409)
    }

    @Test func `a running coordinator is identified, given the endpoints and subscribed to`() throws {
        let bench = try Bench()
        try bench.wait(seconds: 0.1)
        #expect(bench.takeOrders() == [.system(.ping)])
        try bench.hear(ZNPMessage.system(.pong(capabilities: 0x0659)).bytes)
        #expect(bench.takeOrders() == [.system(.askVersion)])
        try bench.hear(version(product: 1).bytes)
        #expect(bench.takeOrders() == [.deviceObject(.askDeviceInfo)])
        try bench.hear(info(state: 9).bytes)
        try bench.hear(ZNPMessage.framework(.registered(status: 0)).bytes)
        let endpoints = bench.takeOrders().compactMap { order in
            if case .framework(.register(let endpoint)) = order { endpoint } else { nil }
        }
        #expect(endpoints.map(\.endpoint) == [1, 240])
        #expect(endpoints.map(\.profile) == [0x0104, 0xF0A0])
        try bench.hear(ZNPMessage.framework(.registered(status: 0)).bytes)
        #expect(bench.takeOrders() == [.deviceObject(.subscribe(cluster: 0xFFFF))])
        try bench.hear(ZNPMessage.deviceObject(.subscribed(status: 0)).bytes)
        #expect(bench.takeOrders() == [.memory(.read(item: MemoryItem.network, offset: 0))])
        try bench.hear(formed.bytes)
        try bench.wait(seconds: 10)
        #expect(bench.takeOrders().isEmpty)
        #expect(try bench.journal().isEmpty)
    }

    @Test func `a coordinator whose network is down is started and awaited`() throws {
        let later = try Bench()
        #expect(try startOrder(later, product: 1) == [.deviceObject(.commission(mode: 4))])
        let bench = try Bench()
        #expect(try startOrder(bench, product: 0) == [.deviceObject(.start(delay: 100))])
        try bench.hear(ZNPMessage.deviceObject(.started(status: 0)).bytes)
        #expect(bench.takeOrders().isEmpty)
        try bench.hear(ZNPMessage.deviceObject(.stateChanged(9)).bytes)
        #expect(bench.takeOrders().count == 1)
    }

    @Test func `a coordinator that does not respond is pinged again every two seconds`() throws {
        let bench = try Bench()
        try bench.wait(seconds: 10)
        let orders = bench.takeOrders()
        #expect(orders.allSatisfy { $0 == .system(.ping) })
        #expect((4...6).contains(orders.count))
    }

    @Test func `a coordinator that was reset during its start is started again`() throws {
        let bench = try Bench()
        try bench.wait(seconds: 0.1)
        try bench.hear(ZNPMessage.system(.pong(capabilities: 0x0659)).bytes)
        try bench.hear(info(state: 9).bytes)
        _ = bench.takeOrders()
        let firmware = SystemMessage.Firmware(transport: 2, product: 1, major: 2, minor: 7, maintenance: 1)
        try bench.hear(ZNPMessage.system(.didReset(reason: 2, firmware)).bytes)
        #expect(bench.takeOrders() == [.system(.ping)])
    }

    /// Returns a process whose coordinator has completed its start.
    private func running() throws -> Bench {
        let bench = try Bench()
        try bench.wait(seconds: 0.1)
        for answer in [
            .system(.pong(capabilities: 0x0659)), version(product: 0), info(state: 9),
            .framework(.registered(status: 0)), .framework(.registered(status: 0)),
            .deviceObject(.subscribed(status: 0)), formed,
        ] as [ZNPMessage] { try bench.hear(answer.bytes) }
        _ = bench.takeOrders()
        return bench
    }

    private let announcement = ZNPMessage.deviceObject(
        .announced(source: 0x1A2B, short: 0x1A2B, ieee: 0x0012_4B00_1E17_EFA8, capabilities: 0x80))

    @Test func `a coordinator whose line is reopened is started again, and pending input is recorded`() throws {
        let bench = try running()
        let report = ZNPMessage.framework(
            .incoming(
                IncomingMessage(
                    cluster: Layout.furrowNode.cluster, source: .short(0x1A2B), sourceEndpoint: 240,
                    destinationEndpoint: 240, lqi: 180, timestamp: 0, sequence: 1,
                    data: Layout.furrowNode.write([.temperature: 21.5], counter: 1))))
        try bench.hear(report.bytes + report.bytes.prefix(7))
        _ = bench.takeOrders()
        try bench.take(.opened(source: Bench.line))
        try bench.wait(seconds: 0.1)
        #expect(bench.takeOrders() == [.system(.ping)])
        #expect(try bench.measured().map(\.device) == [DeviceID("zb:1a2b")])
        #expect(try bench.quarantined().map(\.bytes) == [Hex.encode(report.bytes.prefix(7))])
        // What was pending before does not affect later input.
        try bench.hear(announcement.bytes)
        try bench.take(.opened(source: "znp:/dev/other"))
        #expect(bench.takeOrders().isEmpty)
    }

    private let routeRecord = ZNPMessage.deviceObject(
        .concentrated(short: 0x1A2B, ieee: 0x0012_4B00_1E17_EFA8, cost: 1))

    @Test func `a coordinator that is silent for a minute is checked, and started if its network is down`() throws {
        let bench = try running()
        for _ in 0..<3 {
            try bench.wait(seconds: 59)
            #expect(bench.takeOrders().isEmpty)
            try bench.hear(routeRecord.bytes)
        }
        try bench.wait(seconds: 61)
        #expect(bench.takeOrders() == [.deviceObject(.askDeviceInfo)])
        try bench.hear(info(state: 9).bytes)
        try bench.wait(seconds: 59)
        #expect(bench.takeOrders().isEmpty)
        try bench.wait(seconds: 4)
        #expect(bench.takeOrders().count == 2)
        try bench.hear(info(state: 0).bytes)
        #expect(bench.takeOrders() == [.memory(.read(item: MemoryItem.network, offset: 0))])
        try bench.hear(formed.bytes)
        #expect(bench.takeOrders() == [.deviceObject(.start(delay: 100))])
        try bench.hear(ZNPMessage.deviceObject(.started(status: 0)).bytes)
        try bench.hear(ZNPMessage.deviceObject(.stateChanged(9)).bytes)
        let orders = bench.takeOrders()
        #expect(orders.count == 1)
        #expect(orders.allSatisfy { if case .framework(.register) = $0 { true } else { false } })
    }

    @Test(arguments: ["CC26X2R1", "ZStack1CC2531", "ZStack3CC2531"])
    func `a coordinator of each firmware starts with its recorded responses`(firmware: String) throws {
        guard let lines = try DataSet.lines("zigbee/znp-startup-transcript-\(firmware).jsonl") else { return }
        let frames = try lines.map { line in
            let bytes = try #require(Hex.decode(try line.get("hex")))
            return (isOurs: try line.get("dir", as: String.self) == "host->znp", bytes: bytes)
        }
        let bench = try Bench()
        var answered = 0
        try bench.wait(seconds: 0.1)
        for _ in 0..<10 {
            for order in bench.takeOrders() {
                // The recordings lack this request, because they start from a saved network.
                if order == .deviceObject(.askDeviceInfo) {
                    try bench.hear(info(state: firmware == "ZStack1CC2531" ? 0 : 9).bytes)
                    continue
                }
                // And they read the memory with another command.
                if case .memory(.read) = order {
                    try bench.hear(formed.bytes)
                    continue
                }
                let asked = try #require(
                    frames.firstIndex { $0.isOurs && $0.bytes[2...3] == order.bytes[2...3] }, "\(order) is not recorded"
                )
                if order.bytes[2...3] != [0x24, 0x00] { #expect(frames[asked].bytes == order.bytes) }
                for frame in frames[(asked + 1)...].prefix(while: { !$0.isOurs }) { try bench.hear(frame.bytes) }
                answered += 1
            }
        }
        print("coordinators: \(firmware) came up after \(answered) recorded answers")
        #expect(answered >= 4)
        try bench.wait(seconds: 5)
        #expect(bench.takeOrders().isEmpty)
        #expect(try bench.journal().isEmpty)
    }

    @Test func `a coordinator's recorded bytes in pieces of any size give no event and no unreadable input`() throws {
        var heard = 0
        for firmware in ["CC26X2R1", "ZStack1CC2531", "ZStack3CC2531"] {
            guard let lines = try DataSet.lines("zigbee/znp-startup-transcript-\(firmware).jsonl") else { return }
            let bench = try Bench()
            var bytes: [UInt8] = []
            for line in lines where try line.get("dir", as: String.self) == "znp->host" {
                bytes += Hex.decode(try line.get("hex")) ?? []
                heard += 1
            }
            for start in stride(from: 0, to: bytes.count, by: 7) { try bench.hear(Array(bytes[start...].prefix(7))) }
            try bench.wait(seconds: 3)
            #expect(try bench.journal().isEmpty)
        }
        print("coordinators: \(heard) recorded frames heard in pieces of seven bytes")
        #expect(heard > 600)
    }
}
