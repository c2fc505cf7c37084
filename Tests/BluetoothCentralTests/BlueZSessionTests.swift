import DBus
import Testing

@testable import BluetoothCentral
@testable import Radio

@Suite("A hub's session with BlueZ")
struct BlueZSessionTests {
    private static let second: Int64 = 1_000_000

    @Test func `an adapter that is off is switched on, and Low Energy is scanned for with repeats`() throws {
        var bench = try BlueZBench(isPowered: false)
        bench.begin()
        #expect(
            bench.made == ["AddMatch", "AddMatch", "GetManagedObjects", "Set", "SetDiscoveryFilter", "StartDiscovery"])
        #expect(bench.events == [.started])
        let filter = bench.calls.first { $0.member == "SetDiscoveryFilter" }
        #expect(
            filter?.arguments == [
                .options([
                    BusValue.Entry(.text("Transport"), .text("le")),
                    BusValue.Entry(.text("DuplicateData"), .flag(true)),
                ])
            ])
    }

    @Test func `a SensorTag is connected, switched on after its notifications are, and its values are returned`() throws
    {
        var bench = try BlueZBench()
        bench.begin()
        bench.add(name: "CC2650 SensorTag")
        #expect(bench.made.last == "Connect" && bench.session.connected == [])
        bench.resolve()
        #expect(Array(bench.made.suffix(2)) == ["StartNotify", "WriteValue"])
        #expect(bench.calls.last?.arguments == [.bytes([1]), .options([])])
        #expect(bench.session.connected == [bench.peer])
        bench.notify([0x66, 0x66, 0, 0x80])
        #expect(
            bench.events.last
                == .value(
                    NotifiedValue(
                        peer: bench.peer, characteristic: "f000aa21-0451-4000-b000-000000000000",
                        value: [0x66, 0x66, 0, 0x80], sensor: "hdc1000", interval: 10)))
    }

    @Test func `a device that is gone is connected again when it advertises, after a pause`() throws {
        var bench = try BlueZBench()
        bench.begin()
        bench.add(name: "CC2650 SensorTag")
        bench.resolve()
        bench.change(["Connected": .flag(false)])
        #expect(bench.events.last == .disconnected(bench.peer, reason: "the device is gone"))
        bench.change(["RSSI": .integer(-60)])
        #expect(bench.made.filter { $0 == "Connect" }.count == 1)
        bench.now += Self.second
        bench.change(["RSSI": .integer(-60)])
        #expect(bench.made.filter { $0 == "Connect" }.count == 2)
    }

    @Test func `a device that was connected before the hub began is set up without an advertisement`() throws {
        var bench = try BlueZBench()
        bench.add(name: "CC2650 SensorTag", isConnected: true, isRemembered: true)
        bench.failures = ["Connect": "org.bluez.Error.AlreadyConnected"]
        bench.begin()
        bench.resolve()
        #expect(bench.session.connected == [bench.peer])
    }

    @Test func `a device without the service is disconnected, and the reason says what it lacks`() throws {
        var bench = try BlueZBench()
        bench.begin()
        bench.add(name: "CC2650 SensorTag")
        bench.change(["Connected": .flag(true), "ServicesResolved": .flag(true)])
        #expect(bench.made.last == "Disconnect")
        bench.change(["Connected": .flag(false)])
        #expect(
            bench.events.last
                == .disconnected(bench.peer, reason: "it has no service f000aa20-0451-4000-b000-000000000000"))
    }

    @Test func `a device whose services are never found is given up after 30 seconds`() throws {
        var bench = try BlueZBench()
        bench.begin()
        bench.add(name: "CC2650 SensorTag")
        bench.tick(seconds: 29)
        #expect(bench.made.last == "Connect")
        bench.tick(seconds: 2)
        #expect(bench.made.last == "Disconnect")
        bench.tick(seconds: 5)
        #expect(bench.events.last == .disconnected(bench.peer, reason: "the device does not respond"))
    }

    @Test func `an advertisement has the data that has changed, by company and by service`() throws {
        var bench = try BlueZBench()
        bench.begin()
        bench.add(name: nil)
        func heard() -> [UInt8]? {
            guard case .heard(let advertisement)? = bench.events.last else { return nil }
            return advertisement.data
        }
        let ruuvi = BusValue.Entry(.integer(0x0499), .bytes([5, 1]))
        bench.change(["RSSI": .integer(-60), "ManufacturerData": .dictionary([ruuvi])])
        #expect(heard() == [5, 0xFF, 0x99, 0x04, 5, 1])
        // BlueZ lists what the device has sent before as well.
        let other = BusValue.Entry(.integer(0x02E1), .bytes([7]))
        bench.change(["ManufacturerData": .dictionary([ruuvi, other])])
        #expect(heard() == [4, 0xFF, 0xE1, 0x02, 7])
        bench.change(["ManufacturerData": .dictionary([ruuvi, other])])
        #expect(heard() == [4, 0xFF, 0xE1, 0x02, 7], "the same data, which is advertised again")
        let short = BusValue.Entry(.text("0000fcd2-0000-1000-8000-00805f9b34fb"), .bytes([0x40]))
        let long = BusValue.Entry(.text("f000aa20-0451-4000-b000-000000000000"), .bytes([9]))
        bench.change(["ServiceData": .dictionary([short, long])])
        #expect(heard() == [4, 0x16, 0xD2, 0xFC, 0x40, 18, 0x21] + VirtualDevice.uuid(0xAA20) + [9])
        #expect(bench.events.count == 5)
    }

    @Test func `what BlueZ remembers of a device that is out of range is not reported`() throws {
        var bench = try BlueZBench()
        bench.add(
            name: nil, isRemembered: true,
            more: ["ManufacturerData": .dictionary([BusValue.Entry(.integer(0x0499), .bytes([5]))])])
        bench.begin()
        #expect(bench.events == [.started])
    }

    @Test(arguments: [
        ("GetManagedObjects", "BlueZ does not run, or does not let this user in (org.freedesktop.DBus.Error.X)"),
        ("StartDiscovery", "the adapter cannot scan (org.freedesktop.DBus.Error.X)"),
        ("SetDiscoveryFilter", "BlueZ does not scan for Low Energy (org.freedesktop.DBus.Error.X)"),
        ("AddMatch", "the bus passes on no signals (org.freedesktop.DBus.Error.X)"),
    ]) func `a call that fails ends the session with its reason`(member: String, reason: String) throws {
        var bench = try BlueZBench()
        bench.failures = [member: "org.freedesktop.DBus.Error.X"]
        bench.begin()
        #expect(bench.events.contains(.failed(reason)))
    }

    @Test func `a Bluetooth adapter that is missing, switched off or removed is reported by its name`() throws {
        var bench = try BlueZBench(adapter: "hci7")
        bench.begin()
        #expect(bench.events == [.failed("there is no Bluetooth adapter hci7")])
        bench = try BlueZBench()
        bench.begin()
        bench.signal(
            BlueZName.properties, "PropertiesChanged", at: "/org/bluez/hci0",
            [
                .text(BlueZName.adapter), .dictionary([BusValue.Entry(.text("Powered"), .flag(false))]), .list([]),
            ])
        #expect(bench.events.last == .failed("the adapter was switched off"))
        bench.signal(
            BlueZName.objectManager, "InterfacesRemoved", at: "/",
            [
                .text("/org/bluez/hci0"), .list([.text(BlueZName.adapter)]),
            ])
        #expect(bench.events.last == .failed("the adapter was removed"))
        bench.signal(
            BlueZName.bus, "NameOwnerChanged", at: "/org/freedesktop/DBus",
            [
                .text("org.bluez"), .text(":1.1"), .text(""),
            ])
        #expect(bench.events.last == .failed("BlueZ has ended"))
    }
}

/// A session with a BlueZ that accepts each call, and one device.
struct BlueZBench {
    private static let device = "/org/bluez/hci0/dev_54_6C_0E_00_00_01"

    var session: BlueZSession
    var now: Int64 = 0
    /// The errors of calls, by the name of the method.
    var failures: [String: String] = [:]
    private var isPowered: Bool
    private var remembered: [BusValue.Entry] = []
    private(set) var calls: [BusCall] = []
    private(set) var events: [CentralEvent] = []
    let peer = Peripheral(address: 0x546C_0E00_0001, isRandomAddress: false)

    init(isPowered: Bool = true, adapter: String? = nil) throws {
        self.isPowered = isPowered
        session = BlueZSession([try .sensorTag], adapter: adapter)
    }

    /// The names of the methods that were called.
    var made: [String] { calls.map(\.member) }

    mutating func begin() { perform(session.begin(at: now)) }

    mutating func tick(seconds: Int) {
        for _ in 0..<seconds {
            now += 1_000_000
            perform(session.tick(at: now))
        }
    }

    mutating func add(
        name: String?, isConnected: Bool = false, isRemembered: Bool = false, more: [String: BusValue] = [:]
    ) {
        var properties: [String: BusValue] = [
            "Address": .text("54:6C:0E:00:00:01"), "AddressType": .text("public"), "Connected": .flag(isConnected),
        ]
        if !isRemembered { properties["RSSI"] = .integer(-50) }
        if let name { properties["Name"] = .text(name) }
        let interfaces = Self.dictionary([
            BlueZName.device: Self.dictionary(properties.merging(more) { $1 })
        ])
        if isRemembered {
            remembered.append(BusValue.Entry(.text(Self.device), interfaces))
        } else {
            signal(BlueZName.objectManager, "InterfacesAdded", at: "/", [.text(Self.device), interfaces])
        }
    }

    /// Lets BlueZ find the services of the SensorTag.
    mutating func resolve() {
        let service = Self.device + "/service0020"
        add(service, [BlueZName.gattService: ["UUID": .text(Self.uuid(0)), "Device": .text(Self.device)]])
        for (number, flags) in [(1, ["read", "notify"]), (2, ["read", "write"])] {
            add(
                service + "/char002\(number)",
                [
                    BlueZName.characteristic: [
                        "UUID": .text(Self.uuid(number)), "Service": .text(service),
                        "Flags": .list(flags.map(BusValue.text)),
                    ]
                ])
        }
        change(["Connected": .flag(true), "ServicesResolved": .flag(true)])
    }

    mutating func notify(_ value: [UInt8]) {
        signal(
            BlueZName.properties, "PropertiesChanged", at: Self.device + "/service0020/char0021",
            [
                .text(BlueZName.characteristic), Self.dictionary(["Value": .bytes(value)]), .list([]),
            ])
    }

    mutating func change(_ properties: [String: BusValue]) {
        signal(
            BlueZName.properties, "PropertiesChanged", at: Self.device,
            [
                .text(BlueZName.device), Self.dictionary(properties), .list([]),
            ])
    }

    mutating func signal(_ interface: String, _ member: String, at path: String, _ values: [BusValue]) {
        perform(session.receive(BusMessage(.signal, path: path, interface: interface, member: member, values), at: now))
    }

    private mutating func add(_ path: String, _ interfaces: [String: [String: BusValue]]) {
        signal(
            BlueZName.objectManager, "InterfacesAdded", at: "/",
            [
                .text(path), Self.dictionary(interfaces.mapValues(Self.dictionary)),
            ])
    }

    private static func uuid(_ number: Int) -> String { "f000aa2\(number)-0451-4000-b000-000000000000" }

    private static func dictionary(_ values: [String: BusValue]) -> BusValue {
        .dictionary(values.sorted { $0.key < $1.key }.map { BusValue.Entry(.text($0.key), $0.value) })
    }

    private mutating func perform(_ new: [BlueZSession.Effect]) {
        var pending = new
        while !pending.isEmpty {
            switch pending.removeFirst() {
            case .event(let event): events.append(event)
            case .call(let number, let call):
                calls.append(call)
                pending += session.respond(number, values(call), failure: failures[call.member], at: now)
            }
        }
    }

    private func values(_ call: BusCall) -> [BusValue] {
        guard call.member == "GetManagedObjects" else { return [] }
        let adapter = Self.dictionary([BlueZName.adapter: Self.dictionary(["Powered": .flag(isPowered)])])
        return [.dictionary([BusValue.Entry(.text("/org/bluez/hci0"), adapter)] + remembered)]
    }
}
