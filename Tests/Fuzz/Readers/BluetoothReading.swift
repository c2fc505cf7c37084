import Crypto
import JSON
import Vocabulary

@testable import Radio
@testable import SensorIngest

/// Bluetooth input, whose first byte selects its kind.
///
/// The kinds are a controller's stream, an advertisement, one with its sender's key (16 bytes) and address (6), and a
/// characteristic's value.
enum BluetoothReading {
    private static let kinds = ["aa21", "f000aa21-0451-4000-b000-000000000000", "2a19", "2a6d", "2a6e", "2a6f", "2afb"]

    static func read(_ bytes: [UInt8]) {
        guard let first = bytes.first else { return }
        let rest = Array(bytes.dropFirst())
        switch first % 4 {
        case 0: stream(rest)
        case 1: decode(rest, AdvertisementDecoder(), from: nil)
        case 2 where rest.count >= 22:
            let address = rest[16..<22].reduce(0) { $0 << 8 | UInt64($1) }
            decode(Array(rest[22...]), AdvertisementDecoder(commonKey: Array(rest[..<16])), from: address)
        default: value(rest)
        }
    }

    private static func stream(_ bytes: [UInt8]) {
        var whole = HCIStream()
        var halves = HCIStream()
        let middle = bytes.count / 2
        let packets = whole.feed(bytes)
        precondition(
            halves.feed(Array(bytes[..<middle])) + halves.feed(Array(bytes[middle...])) == packets,
            "two parts give other packets")
        var radio = BluetoothRadio(keys: [:])
        var memory = RadioMemory()
        var now = Instant(microseconds: 1_777_792_500_000_000)
        memory.take(radio.receive(bytes, at: now, wall: now))
        for _ in 0..<2 {
            now = now.advanced(bySeconds: 3)
            memory.take(radio.tend(at: now, wall: now))
        }
    }

    private static func decode(_ data: [UInt8], _ decoder: AdvertisementDecoder, from address: UInt64?) {
        let now = Instant(microseconds: 1_777_792_500_000_000)
        var memory = RadioMemory()
        memory.take(decoder.decode(Advertisement(address: address, rssi: -60, data: data)), at: now)
    }

    private static func value(_ bytes: [UInt8]) {
        let kind = kinds[Int(bytes.first ?? 0) % kinds.count]
        let chip: Characteristic.HumiditySensor = (bytes.first ?? 0) < 128 ? .hdc1000 : .sht21
        guard let characteristic = Characteristic(uuid: kind, sensor: chip) else { return }
        do throws(Malformed) {
            let report = try characteristic.read(Array(bytes.dropFirst()), device: .unknownBluetooth)
            precondition(report.readings.allSatisfy { $0.value.isFinite }, "a reading that is no number")
        } catch { return }
    }
}

extension BluetoothReading {
    /// Returns recorded packets and advertisements, a value of each characteristic, and inputs missing in the
    /// recordings.
    static func seeds() throws -> [[UInt8]] {
        var seeds = try packets() + advertisements()
        for kind in kinds.indices { seeds.append([3, UInt8(kind), 0, 0x66, 0, 0x80]) }
        seeds += [[3, 140, 0, 0x66, 0, 0x80], [3, 2, 50], [3, 4, 0, 0x80]]
        for path in ["beacons", "bthome", "xiaomi", "ruuvi", "gap", "qingping"] {
            for line in try Recordings.lines("ble/\(path).jsonl") {
                guard let data = line.bytes("ad_hex") ?? line.bytes("hex") else { continue }
                seeds.append([1] + data)
                let address = line["input"]?["address"]?.string?.replacing(":", with: "")
                if let key = line["state"]?.bytes("bindkey"), let address = address.flatMap({ Hex.decode($0) }),
                    key.count == 16, address.count == 6
                {
                    seeds.append([2] + key + address + data)
                }
            }
        }
        return seeds
    }

    private static func packets() throws -> [[UInt8]] {
        var seeds: [[UInt8]] = [
            [0, 0x04, 0x3E, 0x0F, 0x02, 1, 3, 1, 1, 2, 3, 4, 5, 6, 3, 2, 1, 6, 0xC4], [0, 1, 3, 0x0C, 0],
            [0, 2, 1, 0x20, 2, 0, 1, 2], [0, 3, 1, 0, 1, 9], [0, 5, 1, 0x20, 2, 0, 1, 2],
        ]
        let record: [UInt8] = [0, 0, 0, 5, 0, 0, 0, 5, 0, 0, 0, 3, 0, 0, 0, 0, 0, 0xDC, 0xDD, 0xB3, 0x10, 0x2F, 0, 0]
        for link in [1001, 1002, 2001] as [UInt16] {
            let header = BTSnoop.magic + [0, 0, 0, 1, 0, 0, UInt8(link >> 8), UInt8(link & 0xFF)]
            seeds.append([0] + header + record + [4, 0x3E, 2, 1, 6])
        }
        for path in ["hcidump", "hci-ble_monitor", "hci-aioblescan"] {
            seeds += try Recordings.lines("ble/\(path).jsonl").compactMap { $0.bytes("hex").map { [0] + $0 } }
        }
        return seeds
    }

    /// Returns numbers in single precision, which no recording has, and advertisements encrypted by pvvx's firmware.
    private static func advertisements() throws -> [[UInt8]] {
        var seeds: [[UInt8]] = [[1, 4, 0xFF, 0x4C, 0, 2]]
        for type in [1, 2, 5, 8] as [UInt8] {
            let value: [UInt8] = type == 5 ? [0, 0, 0xC0, 0x7F] : [0, 0, 0xB4, 0x41]
            let head: [UInt8] = [0x71, 0x50, 0x98, 0, 0x12, 0xF3, 0x4F, 0x6B, 0x8D, 0x7C, 0xC4, 0x0D]
            let body: [UInt8] = [0x16, 0x95, 0xFE] + head + [type, 0x48, 4] + value
            seeds.append([1, UInt8(body.count)] + body)
        }
        let key = [UInt8](repeating: 7, count: 16)
        let address: [UInt8] = [0xA4, 0xC1, 0x38, 1, 2, 3]
        let (ciphertext, tag) = try AESCCM.seal(
            key: key, nonce: address.reversed() + [14, 0x16, 0x1A, 0x18, 9], plaintext: [0x2E, 9, 0x10, 0x0E, 90, 0],
            aad: [0x11], tagLength: 4)
        return seeds + [[2] + key + address + [14, 0x16, 0x1A, 0x18, 9] + ciphertext + tag]
    }
}
