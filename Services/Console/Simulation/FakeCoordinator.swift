import Radio
import Vocabulary

/// The other end of the serial line: a coordinator with a formed network, as the driver sees it. Pure.
struct FakeCoordinator {
    private var parser = UNPIParser()
    private let nodes: [FakeNode]
    /// True once the driver has subscribed: from then on it receives the nodes' messages.
    private(set) var isSubscribed = false

    init(nodes: [FakeNode]) {
        self.nodes = nodes
    }

    /// The coordinator's own IEEE address.
    static let ieee: UInt64 = 0x0012_4B00_0F00_0000

    /// Its network.
    static let network = NetworkRecord(
        panID: 0xF0A0, extendedPANID: 0x0012_4B00_0F00_0000, channel: 20, hasKey: true)

    /// Returns the coordinator's responses to bytes from the driver.
    mutating func answer(_ bytes: [UInt8]) -> [UInt8] {
        parser.feed(bytes).flatMap { frame -> [UInt8] in
            do {
                return answers(to: try ZNPMessage(frame)).flatMap(\.bytes)
            } catch {
                return []
            }
        }
    }

    private mutating func answers(to message: ZNPMessage) -> [ZNPMessage] {
        switch message {
        case .system(.ping): return [.system(.pong(capabilities: 0x0659))]
        case .system(.askVersion):
            return [
                .system(
                    .version(
                        .init(transport: 2, product: 1, major: 2, minor: 7, maintenance: 1, revision: 20_211_217)))
            ]
        case .memory(.read(MemoryItem.network, _)):
            return [.memory(.value(status: 0, bytes: Self.network.bytes))]
        case .memory(.read): return [.memory(.value(status: 2, bytes: []))]
        case .deviceObject(.askDeviceInfo):
            let info = DeviceObjectMessage.DeviceInfo(
                status: 0, ieee: Self.ieee, short: 0, kinds: 7, state: 9, children: [])
            return [.deviceObject(.deviceInfo(info))]
        case .deviceObject(.start):
            return [.deviceObject(.started(status: 0)), .deviceObject(.stateChanged(9))]
        case .framework(.register): return [.framework(.registered(status: 0))]
        case .deviceObject(.subscribe):
            isSubscribed = true
            return [.deviceObject(.subscribed(status: 0))]
        case .deviceObject(.askIEEE(let short, _, _)):
            guard let node = nodes.first(where: { $0.short == short }) else {
                return [.deviceObject(.ieeeAsked(status: 0))]
            }
            return [
                .deviceObject(.ieeeAsked(status: 0)),
                .deviceObject(.ieee(status: 0, ieee: node.ieee, short: short, more: [])),
            ]
        default: return []
        }
    }

    /// The announcement that a node sends when it joins or rejoins the network.
    func announcement(of node: FakeNode) -> [UInt8] {
        ZNPMessage.deviceObject(
            .announced(source: node.short, short: node.short, ieee: node.ieee, capabilities: 0x80)
        ).bytes
    }

    /// The frame of one report of a node, as the coordinator sends it to the driver.
    func report(of node: FakeNode, _ values: [Quantity: Double], number: UInt64) -> [UInt8] {
        let layout = Layout.furrowNode
        let message = IncomingMessage(
            group: 0, cluster: layout.cluster, source: .short(node.short), sourceEndpoint: 240,
            destinationEndpoint: 240, wasBroadcast: false, lqi: node.lqi, security: 0, timestamp: 0,
            sequence: UInt8(truncatingIfNeeded: number), data: layout.write(values, counter: number),
            trailer: .init(router: node.short, radius: 29))
        return ZNPMessage.framework(.incoming(message)).bytes
    }
}

/// One node of the simulated farm.
struct FakeNode: Sendable {
    let area: FakeArea
    let number: Int

    var short: UInt16 { UInt16(0x1000 + area.number * 16 + number) }
    var ieee: UInt64 { 0x0012_4B00_0E00_0000 + UInt64(area.number * 16 + number) }
    var device: DeviceID {
        DeviceID("zb:" + Hex.encode((0..<8).reversed().map { UInt8(truncatingIfNeeded: ieee >> ($0 * 8)) }))
    }
    var point: PointID { PointID("\(area.name)-\(number + 1)") }
    var lqi: UInt8 { UInt8(120 + (number * 37 + area.number * 11) % 120) }
    /// The offset of its reports within the period of ten minutes, in seconds.
    var phase: Double { Double((number * 16 + area.number) * 600) / 256 }
}
