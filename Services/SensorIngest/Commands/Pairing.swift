import EventSourcing
import Host
import JSON
public import Vocabulary

/// The encryption keys of devices that encrypt their advertisements, and of ZigBee networks.
///
/// They are in memory only. The gateway's vault contains them; its response to `hello` contains them if the digest in
/// the request is not that of the current keys.
public struct Pairing: Sendable {
    /// The token of the requests `hello`.
    static let token: UInt64 = 2

    public private(set) var keys: [DeviceID: [UInt8]]
    /// The gateway's digest of these keys; empty without keys.
    private(set) var digest = ""

    /// The prefix of the networks among the devices.
    private static let networks = "zigbee:"

    /// The keys of ZigBee networks, in the order of their names.
    var networkKeys: [[UInt8]] {
        keys.filter { $0.key.rawValue.hasPrefix(Self.networks) }.sorted { $0.key < $1.key }.map(\.value)
    }

    public init(keys: [DeviceID: [UInt8]] = [:]) {
        self.keys = keys
    }

    /// Takes the gateway's response. Returns whether the keys are others than before; a response that cannot be read
    /// changes nothing.
    mutating func answered(_ outcome: RequestOutcome) -> Bool {
        guard case .answer(let answer) = outcome, answer.status == 200 else { return false }
        do throws(JSONError) {
            let json = try JSONValue.parse(answer.body)
            guard let digest: String = try json.find("digest"), digest != self.digest else { return false }
            let all = try json.get("keys", as: [Entry].self)
            keys = Dictionary(all.map { ($0.device, $0.key) }, uniquingKeysWith: { first, _ in first })
            self.digest = digest
            return true
        } catch {
            return false
        }
    }

    private struct Entry: JSONReadable {
        let device: DeviceID
        let key: [UInt8]

        init(json: borrowing JSONValue) throws(JSONError) {
            device = try json.get("device")
            guard let key = Hex.decode(try json.get("key")) else { throw json.error("expected a key in hexadecimal") }
            self.key = key
        }
    }
}
