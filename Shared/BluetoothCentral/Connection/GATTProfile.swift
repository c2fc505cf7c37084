package import JSON
import Radio
import Vocabulary

/// What a hub does with a kind of device: how it is recognised, what is written, and whose values it notifies.
///
/// `{"name":"…","names":["CC2650 SensorTag"],"sensor":"hdc1000","interval":10,
/// "services":[{"service":"…","notify":["…"],"write":[{"characteristic":"…","hex":"01"}]}]}`
package struct GATTProfile: Hashable, Sendable, JSONReadable {
    package let name: String
    /// The names of devices that the profile is for.
    let names: [String]
    /// The services of which a device has to advertise one, if its name is not enough; long UUIDs.
    let advertised: [String]
    /// The only devices that are meant; empty for all.
    let addresses: [UInt64]
    let services: [Service]
    /// The humidity chip of a SensorTag.
    let sensor: String?
    /// Seconds that lie between two values of one characteristic; those in between are not reported.
    let interval: Int

    /// A service of the device.
    struct Service: Hashable, Sendable {
        let uuid: String
        /// The characteristics whose values are reported.
        let notified: [String]
        let writes: [Write]
    }

    /// A value that is written once the device is connected, when notifications are switched on.
    struct Write: Hashable, Sendable {
        let uuid: String
        let value: [UInt8]
    }

    /// Reads a profile. Throws what is wrong with it, also if the farm could not read the values.
    package init(json: borrowing JSONValue) throws(JSONError) {
        try json.allow(["name", "names", "advertises", "addresses", "services", "sensor", "interval"])
        name = try json.get("name")
        names = try json.find("names") ?? []
        advertised = try (json.find("advertises") ?? [UUIDMember]()).map(\.text)
        addresses = try (json.find("addresses") ?? [AddressMember]()).map(\.address)
        services = try (json.get("services") as [ServiceMember]).map(\.service)
        sensor = try json.find("sensor")
        interval = try json.find("interval") ?? 0
        guard !names.isEmpty || !advertised.isEmpty || !addresses.isEmpty else {
            throw JSONError(message: "needs names, advertises or addresses, to recognise a device by", path: "")
        }
        guard (1...CentralLimits.services).contains(services.count) else {
            throw JSONError(message: "expected 1 to \(CentralLimits.services) services", path: "services")
        }
        guard services.contains(where: { !$0.notified.isEmpty }) else {
            throw JSONError(message: "notifies of nothing", path: "services")
        }
        guard sensor == nil || Characteristic.HumiditySensor(rawValue: sensor ?? "") != nil else {
            throw JSONError(message: "expected hdc1000 or sht21", path: "sensor")
        }
        guard (0...CentralLimits.intervalSeconds).contains(interval) else {
            throw JSONError(message: "expected 0 to \(CentralLimits.intervalSeconds) seconds", path: "interval")
        }
    }

    /// Returns whether the profile is for the sender of an advertisement, whose data may be spread over two packets.
    func fits(_ peer: Peripheral, _ data: AdvertisingData) -> Bool {
        guard addresses.isEmpty || addresses.contains(peer.address) else { return false }
        if names.isEmpty, advertised.isEmpty { return true }
        if let name = data.name, names.contains(name) { return true }
        return !advertised.isEmpty && data.services.contains { advertised.contains($0) }
    }
}

extension GATTProfile {
    /// Reads the profiles of a file, `{"profiles":[…]}`.
    package static func all(in file: String) throws(JSONError) -> [GATTProfile] {
        let json = try JSONValue.parse(file)
        try json.allow(["profiles"])
        let profiles: [GATTProfile] = try json.get("profiles")
        guard (1...CentralLimits.profiles).contains(profiles.count) else {
            throw JSONError(message: "expected 1 to \(CentralLimits.profiles) profiles", path: "profiles")
        }
        return profiles
    }

    /// The profiles that a hub knows by itself, in the form of a file.
    ///
    /// TI, CC2650 SensorTag User's Guide, Humidity Sensor: AA22 switches the sensor on, AA21 has its value each second.
    package static let builtIn = """
        {"profiles":[{"name":"sensortag-cc2650","names":["CC2650 SensorTag","SensorTag 2.0"],"sensor":"hdc1000",
        "interval":10,"services":[{"service":"f000aa20-0451-4000-b000-000000000000",
        "notify":["f000aa21-0451-4000-b000-000000000000"],
        "write":[{"characteristic":"f000aa22-0451-4000-b000-000000000000","hex":"01"}]}]}]}
        """
}

extension JSONValue {
    /// Throws if the object has a member that is not in `known`, so that a misspelt one is not ignored.
    fileprivate func allow(_ known: Set<String>) throws(JSONError) {
        guard let object else { throw error("expected an object") }
        for (key, _) in object where !known.contains(key) {
            throw JSONError(message: "is not known here", path: path.isEmpty ? key : "\(path)/\(key)")
        }
    }
}

/// A UUID, which is kept in its long form.
private struct UUIDMember: JSONReadable {
    let text: String

    init(json: borrowing JSONValue) throws(JSONError) {
        let digits = try json.string().lowercased().filter { $0 != "-" }
        guard [4, 8, 32].contains(digits.utf8.count), let bytes = Hex.decode(digits) else {
            throw json.error("expected a UUID: 2a6e, or f000aa21-0451-4000-b000-000000000000")
        }
        text = AdvertisingData.uuid(bytes.reversed())
    }
}

/// The address of a device: six bytes in hexadecimal, with or without colons.
private struct AddressMember: JSONReadable {
    let address: UInt64

    init(json: borrowing JSONValue) throws(JSONError) {
        let digits = try json.string().filter { $0 != ":" }
        guard digits.utf8.count == 12, let bytes = Hex.decode(digits) else {
            throw json.error("expected six bytes in hexadecimal: 54:6c:0e:00:00:01")
        }
        address = bytes.reduce(0) { $0 << 8 | UInt64($1) }
    }
}

private struct ServiceMember: JSONReadable {
    let service: GATTProfile.Service

    init(json: borrowing JSONValue) throws(JSONError) {
        try json.allow(["service", "notify", "write"])
        let uuid: UUIDMember = try json.get("service")
        let notified = try (json.find("notify") ?? [UUIDMember]()).map(\.text)
        let writes = try (json.find("write") ?? [WriteMember]()).map(\.write)
        guard notified.count + writes.count <= CentralLimits.characteristics else {
            throw json.error("expected at most \(CentralLimits.characteristics) characteristics")
        }
        for uuid in notified where Characteristic(uuid: uuid) == nil {
            throw json.error("notify has a characteristic whose values the farm cannot read")
        }
        service = GATTProfile.Service(uuid: uuid.text, notified: notified, writes: writes)
    }
}

private struct WriteMember: JSONReadable {
    let write: GATTProfile.Write

    init(json: borrowing JSONValue) throws(JSONError) {
        try json.allow(["characteristic", "hex"])
        let uuid: UUIDMember = try json.get("characteristic")
        guard let value = Hex.decode(try json.get("hex")), (1...CentralLimits.written).contains(value.count) else {
            throw json.error("expected hex of 1 to \(CentralLimits.written) bytes")
        }
        write = GATTProfile.Write(uuid: uuid.text, value: value)
    }
}
