import DBus
import Radio
import Vocabulary

/// What BlueZ says about a device: its properties, which change with each advertisement.
struct BlueZDevice: Hashable, Sendable {
    let peer: Peripheral
    private(set) var isConnected = false
    /// Whether its services are known; BlueZ finds them after each connection.
    private(set) var isResolved = false
    private var rssi: Int?
    private var name: String?
    private var services: [String] = []
    /// The data that was advertised last, by company and by service. BlueZ adds entries and removes none.
    private var manufacturerData: [UInt16: [UInt8]] = [:]
    private var serviceData: [String: [UInt8]] = [:]
    /// The last advertisement with data.
    private var last: [UInt8] = []

    /// Creates a device of which nothing but its address is known; nil if the properties have none.
    init?(_ properties: BusValue) {
        guard let text = properties["Address"]?.asText, let bytes = Hex.decode(text.filter { $0 != ":" }),
            bytes.count == 6
        else { return nil }
        peer = Peripheral(
            address: bytes.reduce(0) { $0 << 8 | UInt64($1) },
            isRandomAddress: properties["AddressType"]?.asText == "random")
    }

    /// What a profile needs to recognise the device.
    var data: AdvertisingData {
        var data = AdvertisingData([])
        (data.name, data.services) = (name, services)
        return data
    }

    /// Notes properties that have changed. Returns the advertisement that they are from, or nil if they are from none.
    ///
    /// BlueZ lists the data of all companies and services that a device has ever sent; the entries that differ from
    /// the last ones are those of this advertisement. A device that returns to earlier data of another company
    /// number is taken for one that repeats its last data.
    mutating func apply(_ changes: BusValue) -> Advertisement? {
        if let flag = changes["Connected"]?.asFlag { isConnected = flag }
        if let flag = changes["ServicesResolved"]?.asFlag { isResolved = flag }
        if !isConnected { isResolved = false }
        if let text = changes["Name"]?.asText { name = text }
        if let list = changes["UUIDs"]?.asList { services = list.compactMap(\.asText) }
        let strength = changes["RSSI"]?.asInteger
        if let strength { rssi = Int(strength) }
        var isAdvertised = strength != nil
        var fresh = ADWriter()
        for entry in changes["ManufacturerData"]?.asEntries ?? [] {
            guard let key = entry.key.asInteger, let bytes = entry.value.asBytes else { continue }
            let company = UInt16(truncatingIfNeeded: key)
            isAdvertised = true
            guard manufacturerData[company] != bytes else { continue }
            if manufacturerData.count < CentralLimits.attributes { manufacturerData[company] = bytes }
            fresh.add(company: company, bytes)
        }
        for entry in changes["ServiceData"]?.asEntries ?? [] {
            guard let service = entry.key.asText, let bytes = entry.value.asBytes else { continue }
            isAdvertised = true
            guard serviceData[service] != bytes else { continue }
            if serviceData.count < CentralLimits.attributes { serviceData[service] = bytes }
            fresh.add(service: service, bytes)
        }
        guard isAdvertised, rssi != nil else { return nil }
        if !fresh.bytes.isEmpty {
            if let name { fresh.add(name: name) }
            last = fresh.bytes
        }
        return Advertisement(
            address: peer.address, isRandomAddress: peer.isRandomAddress, isExtended: last.count > 31, rssi: rssi,
            data: last)
    }
}

/// Writes AD structures (Bluetooth Core, volume 3, part C, 11). Data that is too long for one is left out.
private struct ADWriter {
    private(set) var bytes: [UInt8] = []

    mutating func add(company: UInt16, _ data: [UInt8]) {
        add(0xFF, [UInt8(company & 0xFF), UInt8(company >> 8)] + data)
    }

    /// Adds the data of a service, whose long UUID has a short form if it has the base of Bluetooth.
    mutating func add(service: String, _ data: [UInt8]) {
        guard let uuid = Hex.decode(service.filter { $0 != "-" }), uuid.count == 16 else { return }
        let hasBase = service.lowercased().hasSuffix("-0000-1000-8000-00805f9b34fb")
        switch (hasBase, uuid[0], uuid[1]) {
        case (true, 0, 0): add(0x16, [uuid[3], uuid[2]] + data)
        case (true, _, _): add(0x20, uuid[..<4].reversed() + data)
        default: add(0x21, uuid.reversed() + data)
        }
    }

    mutating func add(name: String) { add(0x09, Array(name.utf8)) }

    private mutating func add(_ type: UInt8, _ data: [UInt8]) {
        guard data.count < 255, bytes.count + data.count + 2 <= CentralLimits.advertisement else { return }
        bytes += [UInt8(data.count + 1), type] + data
    }
}
