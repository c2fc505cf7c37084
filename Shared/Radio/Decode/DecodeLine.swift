import JSON
import Vocabulary

/// The `decode` command: for each JSON line with bytes, one JSON line with their meaning.
///
/// It has no state between lines, and writes one line for every line, regardless of the input.
public enum DecodeLine {
    public static let keyBytes = 16

    /// Decodes `{"format":…,"hex":…}`; returns `{"id":…,"readings":[…],"beacons":[…],"frames":[…],"error":…}`.
    ///
    /// - Parameters:
    ///   - key: Decrypts packets if a line has no `bindkey` of its own.
    ///   - layouts: those of a farm's own ZigBee nodes, besides the known ones.
    public static func decode(_ line: [UInt8], key: [UInt8]? = nil, layouts: [Layout] = []) -> [UInt8] {
        var output = DecodeOutput()
        do throws(JSONError) {
            guard line.count <= RadioLimits.line else {
                throw JSONError(message: "is longer than \(RadioLimits.line) bytes")
            }
            let json = try JSONValue.parse(line)
            output.id = try json.find("id", as: JSONAny.self) ?? .null
            var request = try DecodeRequest(json)
            request.layouts = layouts
            if request.key == nil, let key {
                request.key = key
                request.keyIsOfSome = true
            }
            do throws(Malformed) {
                try request.decode(into: &output)
            } catch {
                output.add(error)
            }
        } catch {
            output.error = error.description
        }
        return output.line
    }
}

/// The contents of one input line.
struct DecodeRequest {
    enum Format: String {
        case hci, ad, gatt, znp, zcl
    }

    var format: Format
    var bytes: [UInt8]
    var key: [UInt8]?
    /// Whether the key may be another device's.
    var keyIsOfSome = false
    var address: UInt64?
    var rssi: Int?
    var cluster: UInt16?
    var profile: UInt16
    var characteristic: Characteristic?
    var traits: DeviceTraits
    var layouts: [Layout] = []

    init(_ json: JSONValue) throws(JSONError) {
        guard let format = Format(rawValue: try json.get("format")) else {
            throw JSONError(message: "expected hci, ad, gatt, znp or zcl", path: "format")
        }
        self.format = format
        guard let bytes = Hex.decode(try json.get("hex")) else {
            throw JSONError(message: "expected pairs of hex digits", path: "hex")
        }
        self.bytes = bytes
        key = try json.hex("bindkey", separators: false)
        let address = try json.hex("address", separators: true)
        guard (key?.count ?? DecodeLine.keyBytes) == DecodeLine.keyBytes else {
            throw JSONError(message: "expected 16 bytes", path: "bindkey")
        }
        guard (address?.count ?? 6) <= 8 else { throw JSONError(message: "expected 6 or 8 bytes", path: "address") }
        self.address = address?.reduce(0) { $0 << 8 | UInt64($1) }
        rssi = try json.find("rssi")
        cluster = try json.number("cluster")
        profile = try json.number("profile") ?? 0x0104
        traits = DeviceTraits(maker: try json.find("maker"), model: try json.find("model"))
        let sensor = try json.find("sensor", as: String.self)
        guard let chip = Characteristic.HumiditySensor(rawValue: sensor ?? "hdc1000") else {
            throw JSONError(message: "expected hdc1000 or sht21", path: "sensor")
        }
        if let uuid = try json.find("characteristic", as: String.self) {
            guard let known = Characteristic(uuid: uuid, sensor: chip) else {
                throw JSONError(message: "no such characteristic is known", path: "characteristic")
            }
            characteristic = known
        }
        if format == .gatt, characteristic == nil { throw JSONError(message: "is missing", path: "characteristic") }
        if format == .zcl, cluster == nil { throw JSONError(message: "is missing", path: "cluster") }
    }

    func decode(into output: inout DecodeOutput) throws(Malformed) {
        switch format {
        case .hci:
            let packet = try HCIPacket(bytes)
            if packet.advertisements.isEmpty { output.add(frame: packet.summary) }
            var assembler = AdvertisementAssembler()
            for part in packet.advertisements {
                // There is only this line, so an advertisement that waits for another part is decoded as it is.
                let isLast = part == packet.advertisements.last
                guard let whole = assembler.take(part) ?? (isLast ? part : nil) else {
                    output.add(frame: part.summary)
                    continue
                }
                decode(whole, into: &output)
            }
            if let problem = packet.problem { output.add(problem) }
        case .ad:
            var structures = ADStructures(bytes)
            guard structures.next() != nil else { throw Malformed("holds no advertising data", at: 0) }
            decode(Advertisement(address: address, rssi: rssi, data: bytes), into: &output)
        case .gatt:
            guard let characteristic else { return }
            let device = address.map(DeviceID.bluetooth) ?? .unknownBluetooth
            let report = try characteristic.read(bytes, device: device)
            output.add(frame: [("kind", .string("gatt"))], DecodedInput(report))
        case .znp: decodeSerial(into: &output)
        case .zcl:
            guard let cluster else { return }
            let device = address.map(DeviceID.zigbee) ?? .unknownZigBee
            let message = ZigBeeMessage(
                device: device, profile: profile, cluster: cluster, endpoint: 1, rssi: rssi, payload: bytes)
            let decoder = ZigBeeDecoder(layouts: Layout.known + layouts, traits: [device: traits])
            let isOwn = decoder.layouts.contains { $0.matches(message) }
            output.add(
                frame: isOwn ? [("kind", .string("layout"))] : try ZCLFrame(bytes).summary, decoder.decode(message))
        }
    }

    private func decode(_ advertisement: Advertisement, into output: inout DecodeOutput) {
        let decoder = AdvertisementDecoder(commonKey: key, commonKeyIsOfSome: keyIsOfSome)
        output.add(frame: advertisement.summary, decoder.decode(advertisement))
    }

    private func decodeSerial(into output: inout DecodeOutput) {
        var parser = UNPIParser()
        var decoder = ZNPDecoder(layouts: layouts)
        let frames = parser.feed(bytes) + parser.reset()
        for frame in frames { output.add(frame: frame.summary, decoder.decode(frame)) }
        if frames.isEmpty { output.add(Malformed("holds no frame whose check fits", at: 0)) }
    }
}

extension JSONValue {
    /// Returns bytes from hex digits, with colons or dashes and a prefix `ble:` or `zb:` if `separators` is set.
    fileprivate func hex(_ key: String, separators: Bool) throws(JSONError) -> [UInt8]? {
        guard var text = try find(key, as: String.self) else { return nil }
        if separators {
            for prefix in ["ble:", "zb:", "0x"] where text.hasPrefix(prefix) { text.removeFirst(prefix.count) }
            text.removeAll { $0 == ":" || $0 == "-" }
        }
        guard let bytes = Hex.decode(text) else { throw JSONError(message: "expected hex digits", path: key) }
        return bytes
    }

    /// Returns a number, or that of its text, as `0x0402` or `1026`.
    fileprivate func number(_ key: String) throws(JSONError) -> UInt16? {
        guard let value = self[key], !value.isNull else { return nil }
        guard value.kind == .string else { return try value.read(as: UInt16.self) }
        let text = try value.string()
        let number =
            text.hasPrefix("0x") || text.hasPrefix("0X") ? UInt16(text.dropFirst(2), radix: 16) : UInt16(text)
        guard let number else { throw JSONError(message: "expected a number of 16 bits", path: key) }
        return number
    }
}
