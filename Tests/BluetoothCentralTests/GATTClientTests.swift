import Testing

@testable import BluetoothCentral
@testable import Radio

@Suite("A connection's GATT client")
struct GATTClientTests {
    private var device = VirtualDevice()

    /// Lets client and device talk until neither says anything; returns the effects other than messages.
    private mutating func talk(_ client: inout GATTClient) -> [GATTClient.Effect] {
        var pending = client.begin(at: 0)
        var effects: [GATTClient.Effect] = []
        for _ in 0..<100 where !pending.isEmpty {
            let effect = pending.removeFirst()
            guard case .send(let message) = effect else {
                effects.append(effect)
                continue
            }
            if let response = device.respond(message) { pending += client.receive(response, at: 0) }
        }
        return effects
    }

    @Test mutating func `a SensorTag notifies before its sensor is switched on, and its values are returned`() throws {
        var client = GATTClient(try .sensorTag)
        #expect(talk(&client) == [.ready])
        #expect(device.written.map(\.handle) == [0x2C, 0x2E])
        #expect(device.written.map(\.value) == [[1, 0], [1]])
        #expect(client.deadline == nil)
        let uuid = "f000aa21-0451-4000-b000-000000000000"
        #expect(
            client.receive([0x1B, 0x2B, 0, 0x66, 0x66, 0, 0x80], at: 1)
                == [.value(uuid: uuid, [0x66, 0x66, 0, 0x80])])
        // Another handle, and a value that has to be confirmed.
        #expect(client.receive([0x1B, 0x2C, 0, 1], at: 1) == [])
        #expect(client.receive([0x1D, 0x2B, 0, 1], at: 1) == [.send([0x1E]), .value(uuid: uuid, [1])])
    }

    @Test mutating func `a device without the service of its profile is given up, and the reason names it`() throws {
        device.attributes[0x29] = nil
        var client = GATTClient(try .sensorTag)
        #expect(talk(&client) == [.failed("it has no service f000aa20-0451-4000-b000-000000000000")])
        #expect(client.receive([0x1B, 0x2B, 0, 1, 2, 3, 4], at: 1) == [])
    }

    @Test mutating func `a characteristic that is missing, or cannot notify, ends the set-up`() throws {
        device.attributes[0x2D] = nil
        var client = GATTClient(try .sensorTag)
        #expect(talk(&client) == [.failed("it has no characteristic f000aa22-0451-4000-b000-000000000000")])
        device = VirtualDevice()
        device.attributes[0x2A]?.value[0] = 2
        client = GATTClient(try .sensorTag)
        #expect(
            talk(&client) == [.failed("it has no characteristic f000aa21-0451-4000-b000-000000000000 that notifies")])
        device = VirtualDevice()
        device.attributes[0x2C] = nil
        client = GATTClient(try .sensorTag)
        #expect(talk(&client) == [.failed("a characteristic cannot be switched on")])
    }

    @Test mutating func `a refused write ends the set-up with the device's reason`() throws {
        device.refusals = [0x2E: 0x05]
        var client = GATTClient(try .sensorTag)
        #expect(talk(&client) == [.failed("the device wants to be paired, which the hub cannot do")])
    }

    @Test func `a list that does not move on ends the set-up`() throws {
        var client = GATTClient(try .sensorTag)
        _ = client.begin(at: 0)
        _ = client.receive([0x03, 23, 0], at: 0)
        let same: [UInt8] = [0x11, 6, 1, 0, 3, 0, 0, 0x18]
        #expect(client.receive(same, at: 0) == [.send([0x10, 4, 0, 0xFF, 0xFF, 0, 0x28])])
        #expect(client.receive(same, at: 0) == [.failed("its list of services has no end")])
    }

    @Test func `a request has a deadline, which its response moves`() throws {
        var client = GATTClient(try .sensorTag)
        _ = client.begin(at: 5)
        #expect(client.deadline == 5 + CentralLimits.transactionMicroseconds)
        _ = client.receive([0x1B, 0x2B, 0, 1], at: 9)
        #expect(client.deadline == 5 + CentralLimits.transactionMicroseconds)
        _ = client.receive([0x03, 23, 0], at: 9)
        #expect(client.deadline == 9 + CentralLimits.transactionMicroseconds)
    }

    @Test func `requests of the device are answered, its commands are not`() throws {
        var client = GATTClient(try .sensorTag)
        #expect(client.receive([0x02, 0x40, 0], at: 0) == [.send([0x03, 23, 0])])
        #expect(client.receive([0x0A, 1, 0], at: 0) == [.send([0x01, 0x0A, 0, 0, 0x06])])
        #expect(client.receive([0x52, 1, 0, 1], at: 0) == [])
        #expect(client.receive([0x1E], at: 0) == [])
        #expect(client.receive([], at: 0) == [.failed("a message cannot be read: ends 1 bytes too early")])
    }

    @Test func `an indication is switched on by its own bit`() throws {
        var client = GATTClient(try .sensorTag)
        var device = VirtualDevice()
        device.attributes[0x2A]?.value[0] = 0x20
        var pending = client.begin(at: 0)
        while case .send(let message)? = pending.first {
            pending.removeFirst()
            if let response = device.respond(message) { pending += client.receive(response, at: 0) }
        }
        #expect(device.written.first?.value == [2, 0])
    }
}
