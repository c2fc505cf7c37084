import JSON
import Vocabulary

@testable import Radio

/// A line of the operator's `decode`: for any input, the output is one JSON object with the five members. The same
/// bytes are read as a file of layouts.
enum LineReading {
    static func read(_ bytes: [UInt8]) {
        readLayouts(bytes)
        do throws(JSONError) {
            let answer = try JSONValue.parse(DecodeLine.decode(bytes))
            let members = ["readings", "beacons", "frames"].compactMap { answer[$0]?.array }
            precondition(members.count == 3 && answer["id"] != nil && answer["error"] != nil, "a member is missing")
        } catch {
            preconditionFailure("the output is no JSON")
        }
    }

    /// Every layout that is read writes a payload of its own length.
    private static func readLayouts(_ bytes: [UInt8]) {
        do throws(LayoutFile.Flaw) {
            for layout in try LayoutFile(bytes).layouts {
                precondition(layout.write([.temperature: 20]).count == layout.length, "another length")
            }
        } catch {
            precondition(error.line > 0 && !error.reason.isEmpty, "a flaw without a line")
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
            "layout a\nprofile 0x0F05\ncluster 1\nendpoint 20\nsensor dht11\ncounter at 0 u16\n"
                + "temperature at 2 s16be /10 +-40 # soil\nhumidity at 4 tenths\nsum at 6\n\nlayout b\nprofile 7",
            "layout a\ntemperature at 249 s64 /0", "sum at", "layout A b", "layout a\nph at 99999999999999999999 u8",
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
