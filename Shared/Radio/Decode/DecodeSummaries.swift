import JSON
import Vocabulary

// The layers between bytes and readings, as `decode` prints them.

extension HCIPacket {
    var summary: [(String, JSONAny)] { [("kind", .string("hci")), ("type", .integer(Int64(kind.rawValue)))] }
}

extension Advertisement {
    var summary: [(String, JSONAny)] {
        let data = AdvertisingData(data)
        var members: [(String, JSONAny)] = [("kind", .string("advertisement")), ("device", device.json)]
        if address != nil { members.append(("random", .bool(isRandomAddress))) }
        if isScanResponse { members.append(("scanResponse", .bool(true))) }
        if isExtended { members.append(("extended", .bool(true))) }
        if isIncomplete { members.append(("incomplete", .bool(true))) }
        if let rssi { members.append(("rssi", .integer(Int64(rssi)))) }
        if let name = data.name { members.append(("name", .string(name))) }
        if let power = data.transmitPower { members.append(("txPower", .integer(Int64(power)))) }
        if !data.services.isEmpty { members.append(("services", .array(data.services.map(JSONAny.string)))) }
        if !data.serviceData.isEmpty {
            let pairs = data.serviceData.map { ($0.service, JSONAny.string(Hex.encode($0.bytes))) }
            members.append(("serviceData", .object(Self.unique(pairs))))
        }
        if !data.manufacturerData.isEmpty {
            let pairs = data.manufacturerData.map { ("0x" + hex($0.company), JSONAny.string(Hex.encode($0.bytes))) }
            members.append(("manufacturerData", .object(Self.unique(pairs))))
        }
        return members
    }

    /// Returns the last pair of each key.
    private static func unique(_ pairs: [(String, JSONAny)]) -> [(String, JSONAny)] {
        var unique: [(String, JSONAny)] = []
        for pair in pairs {
            unique.removeAll { $0.0 == pair.0 }
            unique.append(pair)
        }
        return unique
    }
}

extension Beacon {
    var summary: JSONAny {
        var members: [(String, JSONAny)] = [("device", device.json)]
        switch kind {
        case .iBeacon(let uuid, let major, let minor, let power):
            members += [
                ("kind", .string("ibeacon")), ("uuid", .string(UUIDText.dashed(Hex.encode(uuid)))),
                ("major", .integer(Int64(major))), ("minor", .integer(Int64(minor))), ("power", .integer(Int64(power))),
            ]
        case .eddystoneUID(let namespace, let instance, let power):
            members += [
                ("kind", .string("eddystone-uid")), ("namespace", .string(Hex.encode(namespace))),
                ("instance", .string(Hex.encode(instance))), ("power", .integer(Int64(power))),
            ]
        case .eddystoneURL(let url, let power):
            members += [("kind", .string("eddystone-url")), ("url", .string(url)), ("power", .integer(Int64(power)))]
        case .eddystoneTLM(let volts, let celsius, let advertisements, let seconds):
            members += [
                ("kind", .string("eddystone-tlm")), ("volts", volts.map(JSONAny.double) ?? .null),
                ("celsius", celsius.map(JSONAny.double) ?? .null),
                ("advertisements", .integer(Int64(advertisements))), ("seconds", .double(seconds)),
            ]
        case .eddystoneEncryptedTLM(let data, let salt, let mic):
            members += [
                ("kind", .string("eddystone-etlm")), ("data", .string(Hex.encode(data))),
                ("salt", .string("0x" + hex(salt))), ("mic", .string("0x" + hex(mic))),
            ]
        case .eddystoneEID(let identifier, let power):
            members += [
                ("kind", .string("eddystone-eid")), ("eid", .string(Hex.encode(identifier))),
                ("power", .integer(Int64(power))),
            ]
        }
        if let rssi { members.append(("rssi", .integer(Int64(rssi)))) }
        return .object(members)
    }
}

extension UNPIFrame {
    var summary: [(String, JSONAny)] {
        var members: [(String, JSONAny)] = [
            ("kind", .string("znp")), ("cmd", ZNPNames.name(of: code).map(JSONAny.string) ?? .null),
            ("cmd0", .integer(Int64(code >> 8))), ("cmd1", .integer(Int64(command))),
            ("len", .integer(Int64(data.count))), ("data", .string(Hex.encode(data))),
            ("fcs", .integer(Int64(bytes.last ?? 0))),
        ]
        do throws(Malformed) {
            if case .framework(.incoming(let message)) = try ZNPMessage(self) { members += message.summary }
        } catch {
            // The decoder meets the same error and reports it.
            return members
        }
        return members
    }
}

extension IncomingMessage {
    fileprivate var summary: [(String, JSONAny)] {
        let source: (String, JSONAny) =
            switch source {
            case .short(let short): ("src", .integer(Int64(short)))
            case .ieee(let ieee): ("ieee", .string(String(DeviceID.zigbee(ieee).rawValue.dropFirst(3))))
            }
        return [
            ("group", .integer(Int64(group))), ("cluster", .integer(Int64(cluster))), source,
            ("srcEp", .integer(Int64(sourceEndpoint))), ("dstEp", .integer(Int64(destinationEndpoint))),
            ("lqi", .integer(Int64(lqi))), ("timestamp", .integer(Int64(timestamp))),
            ("sequence", .integer(Int64(sequence))), ("payload", .string(Hex.encode(data))),
        ]
    }
}

extension ZCLFrame {
    var summary: [(String, JSONAny)] {
        var members: [(String, JSONAny)] = [
            ("kind", .string("zcl")), ("transaction", .integer(Int64(transaction))),
            ("command", .integer(Int64(command))), ("clusterSpecific", .bool(isClusterSpecific)),
        ]
        if let manufacturer { members.append(("manufacturer", .string("0x" + hex(manufacturer)))) }
        guard isReport || !isClusterSpecific && command == Command.readAttributesResponse else {
            return members
        }
        let attributes = ZCLAttributes(self)
        let records = attributes.records.map { record in
            JSONAny.object([
                ("attribute", .string("0x" + hex(record.attribute))), ("status", .integer(Int64(record.status))),
                ("type", record.type.map { .integer(Int64($0)) } ?? .null), ("value", record.value.summary),
            ])
        }
        members += [
            ("attributes", .array(records)), ("droppedBytes", .integer(Int64(attributes.droppedBytes))),
        ]
        return members
    }
}

extension ZCLValue {
    var summary: JSONAny {
        switch self {
        case .invalid: .null
        case .bool(let value): .bool(value)
        case .unsigned(let value): Int64(exactly: value).map(JSONAny.integer) ?? .double(Double(value))
        case .signed(let value): .integer(value)
        case .float(let value): .double(value)
        case .text(let value): .string(value)
        case .bytes(let value): .string(Hex.encode(value))
        case .list(let values), .structure(let values): .array(values.map(\.summary))
        }
    }
}

extension RawReport {
    var summary: JSONAny {
        .object([
            ("device", device.json),
            ("profile", profile.map { .string("0x" + hex($0)) } ?? .null), ("cluster", .string("0x" + hex(cluster))),
            ("endpoint", .integer(Int64(endpoint))), ("tsn", tsn.map { .integer(Int64($0)) } ?? .null),
            ("payload", .string(Hex.encode(payload))),
        ])
    }
}

extension ZigBeeMessage {
    var summary: JSONAny {
        .object([
            ("device", device.json),
            ("profile", profile.map { .string("0x" + hex($0)) } ?? .null), ("cluster", .string("0x" + hex(cluster))),
            ("endpoint", .integer(Int64(endpoint))), ("payload", .string(Hex.encode(payload))),
        ])
    }
}

/// Returns four hex digits.
private func hex(_ number: UInt16) -> String {
    Hex.encode([UInt8(number >> 8), UInt8(number & 0xFF)])
}
