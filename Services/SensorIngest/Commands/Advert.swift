import JSON
import Radio
import Vocabulary

/// One raw advertisement of an HTTP batch: `{"address":"c5:0d:…","hex":…,"rssi":-70,"at":…}`.
///
/// With `characteristic`, its UUID, `hex` is the value of a GATT characteristic that a hub has read or was notified of.
/// `sensor` names the humidity chip of a SensorTag, on which the meaning of its bytes depends.
struct Advert: JSONReadable {
    /// The advertisement; its data is the value of the characteristic if there is one.
    let advertisement: Advertisement
    let at: Instant?
    private let uuid: String?
    private let sensor: Characteristic.HumiditySensor

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
        uuid = try json.find("characteristic")
        guard let sensor = Characteristic.HumiditySensor(rawValue: try json.find("sensor") ?? "hdc1000") else {
            throw JSONError(message: "expected hdc1000 or sht21", path: "sensor")
        }
        self.sensor = sensor
    }

    /// Returns what the advertisement or the value contains, and why if that is nothing.
    ///
    /// A value that cannot be read is a problem and never an error: other parts of the batch may be recorded already.
    func decoded(by decoder: AdvertisementDecoder) -> DecodedInput {
        guard let uuid else { return decoder.decoded(advertisement) }
        guard let characteristic = Characteristic(uuid: uuid, sensor: sensor) else {
            return DecodedInput(problem: Malformed("the characteristic \(uuid) is not supported", at: 0))
        }
        do throws(Malformed) {
            var report = try characteristic.read(advertisement.data, device: advertisement.device)
            report.rssi = advertisement.rssi
            return DecodedInput(report)
        } catch {
            return DecodedInput(problem: error)
        }
    }
}
