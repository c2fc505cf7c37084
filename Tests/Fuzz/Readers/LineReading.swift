import JSON
import Vocabulary

@testable import Radio

/// A line of the operator's `decode`: for any input, the output is one JSON object with the five members.
enum LineReading {
    static func read(_ bytes: [UInt8]) {
        do throws(JSONError) {
            let answer = try JSONValue.parse(DecodeLine.decode(bytes))
            let members = ["readings", "beacons", "frames"].compactMap { answer[$0]?.array }
            precondition(members.count == 3 && answer["id"] != nil && answer["error"] != nil, "a member is missing")
        } catch {
            preconditionFailure("the output is no JSON")
        }
    }

    /// Returns the seeds of the radio readers as lines, and malformed lines.
    static func seeds() throws -> [[UInt8]] {
        var lines = [
            "", "[]", #"{"format":"hci","hex":"0"}"#, #"{"format":"x","hex":""}"#, #"{"format":"gatt","hex":"00"}"#,
            #"{"format":"zcl","hex":"00"}"#, #"{"format":"ad","hex":"","bindkey":"00"}"#,
            #"{"format":"ad","hex":"020106","address":"ble:c5:0d","rssi":-60,"model":"lumi.weather"}"#,
            #"{"format":"ad","hex":"020106","address":"000102030405060708"}"#,
            #"{"format":"zcl","hex":"18010a0000292e09","cluster":"0x0402","profile":260,"sensor":"x"}"#,
            #"{"format":"zcl","hex":"18010a0000292e09","cluster":"x"}"#,
            #"{"format":"gatt","hex":"00660080","characteristic":"aa21","sensor":"sht21"}"#,
            #"{"format":"gatt","hex":"00660080","characteristic":"ffff"}"#,
            #"{"format":"hci","hex":"040e0401030c00","id":{"a":[1,null]}}"#,
            #"{"format":"zcl","hex":"18010a0000292e09","cluster":1026,"address":"zb:00124b0001020304"}"#,
        ]
        for bytes in try SerialReading.seeds() { lines.append(line("znp", bytes)) }
        for bytes in try BluetoothReading.seeds() {
            switch bytes[0] {
            case 0: lines.append(line("hci", bytes.dropFirst()))
            case 1: lines.append(line("ad", bytes.dropFirst()))
            default: break
            }
        }
        return lines.map { Array($0.utf8) }
    }

    private static func line(_ format: String, _ bytes: some Collection<UInt8>) -> String {
        #"{"id":1,"format":"\#(format)","hex":"\#(Hex.encode(Array(bytes)))","address":"a4:c1:38:d4:3c:48"}"#
    }
}
