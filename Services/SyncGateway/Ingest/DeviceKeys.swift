import Crypto
import EventStore
import JSON
import Vault
import Vocabulary
import Wire

/// The key (bindkey) with which a Bluetooth sensor encrypts what it advertises, or that of a ZigBee network, by which
/// captures of its messages are decrypted.
struct DeviceKey: Sendable, Equatable {
    let device: DeviceID
    /// 16 bytes (AES-128).
    let key: [UInt8]
    let since: Instant

    private static let prefix = "ble:"
    private static let addressDigits = 12
    /// The prefix of ZigBee networks among the devices.
    static let networks = "zigbee:"

    /// Reads a key as people copy it: 32 hexadecimal digits, with or without separators, or 16 decimal numbers with
    /// commas, as zigbee2mqtt writes them. Returns nil for anything else.
    static func read(_ text: String) -> [UInt8]? {
        if text.contains(",") {
            let numbers = text.filter { !"[] ".contains($0) }.split(separator: ",").map { UInt8($0) }
            let key = numbers.compactMap(\.self)
            return key.count == 16 && numbers.count == 16 ? key : nil
        }
        let digits = text.lowercased().filter { !" :-".contains($0) }
        guard let key = Hex.decode(digits.hasPrefix("0x") ? String(digits.dropFirst(2)) : digits), key.count == 16
        else { return nil }
        return key
    }

    /// Writes the keys for a process that decodes.
    static func write(_ keys: [DeviceKey], _ digest: String, to json: inout JSONWriter) {
        json.field("digest", digest)
        json.field(
            "keys",
            array: { json in
                for key in keys {
                    json.object { json in
                        json.field("device", key.device)
                        json.field("key", Hex.encode(key.key))
                    }
                }
            })
    }

    /// Returns the device of an address as people write it: `ble:a4c138112233`, `A4:C1:38:11:22:33`; or the name of a
    /// ZigBee network: `zigbee:greenhouse`. Returns nil for anything else.
    static func device(_ text: String) -> DeviceID? {
        if text.hasPrefix(networks) {
            return RequestBody.isName(String(text.dropFirst(networks.count))) ? DeviceID(text) : nil
        }
        let lower = text.lowercased()
        let address = (lower.hasPrefix(prefix) ? String(lower.dropFirst(prefix.count)) : lower).replacing(":", with: "")
        guard address.utf8.count == addressDigits, Hex.decode(address) != nil else { return nil }
        return DeviceID(prefix + address)
    }
}

/// The keys of sensors. They are in the vault only, and in the memory of the processes that decode.
struct DeviceKeys {
    private static let kind = "device-key"

    private let vault: Vault
    /// What was read last, and its digest; nil after a change.
    private var cached: (keys: [DeviceKey], digest: String)?

    init(_ vault: Vault) {
        self.vault = vault
    }

    /// Returns all keys in the order of their devices, and a digest that changes with them.
    mutating func all() throws(VaultError) -> (keys: [DeviceKey], digest: String) {
        if let cached { return cached }
        var keys: [DeviceKey] = []
        while true {
            let page = try vault.all(kind: Self.kind, after: keys.last?.device.rawValue ?? "")
            guard !page.isEmpty else { break }
            for record in page { keys.append(try Self.read(record)) }
        }
        var bytes: [UInt8] = []
        for key in keys { bytes += Array("\(key.device)=".utf8) + key.key }
        let all = (keys, keys.isEmpty ? "" : Hex.encode(SHA256.hash(bytes)))
        cached = all
        return all
    }

    mutating func put(_ key: DeviceKey) throws(VaultError) {
        var json = JSONWriter()
        json.object { json in
            json.field("key", Hex.encode(key.key))
            json.field("since", key.since)
        }
        try vault.put(kind: Self.kind, id: key.device.rawValue, fields: json.bytes)
        cached = nil
    }

    /// Returns false if there is none.
    mutating func remove(_ device: DeviceID) throws(VaultError) -> Bool {
        cached = nil
        return try vault.delete(kind: Self.kind, id: device.rawValue)
    }

    private static func read(_ record: Vault.Record) throws(VaultError) -> DeviceKey {
        do throws(JSONError) {
            let json = try JSONValue.parse(record.fields)
            guard let key = Hex.decode(try json.get("key")) else { throw JSONError(message: "no key") }
            return DeviceKey(device: DeviceID(record.id), key: key, since: try json.get("since"))
        } catch {
            throw .unreadable
        }
    }
}
