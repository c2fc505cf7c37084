import JSON
import Radio
public import Vocabulary

/// One raw advertisement of an HTTP batch: `{"address":"c5:0d:…","hex":…,"rssi":-70,"at":…}`.
struct Advert: JSONReadable {
    let advertisement: Advertisement
    let at: Instant?

    init(json: borrowing JSONValue) throws(JSONError) {
        let text: String = try json.get("address")
        let digits = text.replacing(":", with: "")
        guard digits.utf8.count == 12, let address = UInt64(digits, radix: 16) else {
            throw JSONError(message: "expected six bytes in hexadecimal", path: "address")
        }
        guard let data = Hex.decode(try json.get("hex")), data.count <= 1650 else {
            throw JSONError(message: "expected up to 1650 bytes in hexadecimal", path: "hex")
        }
        advertisement = Advertisement(address: address, rssi: try json.find("rssi"), data: data)
        at = try json.find("at")
    }
}

/// The encryption keys of devices that encrypt their advertisements.
public struct Pairing: Sendable {
    public var keys: [DeviceID: [UInt8]]

    public init(keys: [DeviceID: [UInt8]] = [:]) {
        self.keys = keys
    }
}
