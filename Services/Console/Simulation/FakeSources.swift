import Glibc
import HTTP
import JSON
import System
import Vocabulary

/// The other sources of a demonstration, besides the coordinator and the reader of the shed: each kind that a farm may
/// own sends some values, in the form of its make.
final class FakeSources {
    private let people: FakePeople
    private let broker: FakeBroker?
    private let hubToken: String
    private var sent: Instant?
    private var turn = 0
    private var token: String?
    private var hub: String?

    /// Seconds between two rounds, and after an error.
    private static let seconds = 60.0
    private static let gateway = "packing-hall"
    private static let hub = "radio-hub"

    /// - Parameters:
    ///   - port: of the MQTT broker to open; nil for none.
    ///   - hubToken: the file for the token of the radio hub.
    init(_ people: FakePeople, brokerPort port: Int?, hubToken: String) throws {
        self.people = people
        self.hubToken = hubToken
        broker = try port.map { port in
            try FakeBroker(port: port, stored: [("zigbee2mqtt/bridge/devices", Array(Self.devices.utf8))])
        }
    }

    /// Two sensors, as zigbee2mqtt lists them.
    private static let devices = """
        [{"ieee_address":"0x00158d0001a2b301","type":"EndDevice","friendly_name":"wash house",\
        "definition":{"vendor":"Aqara","model":"WSDCGQ11LM","exposes":[{"property":"temperature","unit":"°C"},\
        {"property":"humidity","unit":"%"}]}},{"ieee_address":"0xa4c1380000000042","type":"EndDevice",\
        "friendly_name":"herb bed","definition":{"vendor":"Tuya","model":"TS0601_soil","exposes":[\
        {"property":"soil_moisture","unit":"%"},{"property":"temperature","unit":"°C"}]}}]
        """

    /// Answers the broker's clients; called often.
    func listen() throws { try broker?.tend() }

    /// Sends a round of values, if that is due. Errors are ignored: the farm may be stopping.
    func tend(at now: Instant) {
        if let sent, (0..<Self.seconds).contains(now.seconds(since: sent)) { return }
        sent = now
        turn += 1
        do {
            try sendAll(at: now)
        } catch {
            // The next round sends later values.
            (token, hub) = (nil, nil)
        }
    }

    private func sendAll(at now: Instant) throws {
        let celsius = 18 + 2 * sin(Double(turn) / 30)
        let token = try token ?? people.admit(Self.gateway, title: "Packing hall")
        self.token = token
        // A Ruuvi Gateway, as its page "Custom server" sends.
        try people.uplink(token, Self.ruuvi(celsius, at: now, number: turn))
        // A Shelly H&T, which requests an address.
        _ = try people.attempt(
            "GET", "/v1/uplink/\(token)?id=shellyht-6d0a12&temp=\(Self.rounded(celsius - 6))&hum=\(60 + turn % 9)")
        // The controller of a greenhouse, which has decoded its values.
        _ = try people.attempt(
            "POST", "/v1/values",
            #"{"source":"greenhouse","reports":[{"device":"greenhouse-controller","values":["#
                + #"{"quantity":"co2","value":\#(620 + turn % 40)},{"quantity":"temperature","value":\#(Self.rounded(celsius + 5))}]}]}"#
        )
        // The radio hub is furrow-hub itself; it needs its token only.
        if hub == nil {
            let token = try people.admit(Self.hub, title: "Greenhouse")
            try File.writeAtomically(hubToken, Array(token.utf8), mode: 0o600)
            hub = token
        }
        // zigbee2mqtt behind an MQTT broker.
        try broker?.publish(
            "zigbee2mqtt/wash house",
            #"{"temperature":\#(Self.rounded(celsius - 3)),"humidity":\#(70 + turn % 5),"linkquality":120,"last_seen":"\#(now)"}"#
        )
        try broker?.publish(
            "zigbee2mqtt/herb bed",
            #"{"soil_moisture":\#(34 + turn % 3),"temperature":\#(Self.rounded(celsius - 1)),"linkquality":90,"last_seen":"\#(now)"}"#
        )
    }

    private static func rounded(_ value: Double) -> String { "\((value * 10).rounded() / 10)" }

    /// A RuuviTag's packet in format 5, in the body of a Ruuvi Gateway.
    private static func ruuvi(_ celsius: Double, at now: Instant, number: Int) -> String {
        let raw = UInt16(bitPattern: Int16((celsius / 0.005).rounded()))
        let bytes: [UInt8] =
            [0x02, 0x01, 0x06, 0x1B, 0xFF, 0x99, 0x04, 0x05, UInt8(raw >> 8), UInt8(raw & 0xFF)]
            + [
                0x55, 0x73, 0xC8, 0x1C, 0, 0, 0, 0, 0x03, 0xE8, 0xB2, 0x36, 0, UInt8(number >> 8 & 0xFF),
                UInt8(number & 0xFF),
            ]
            + [0xE3, 0x75, 0xCF, 0x37, 0x4E, 0x23]
        let seconds = now.microseconds / 1_000_000
        return
            #"{"data":{"coordinates":"","timestamp":"\#(seconds)","nonce":"\#(number)","gw_mac":"C8:25:2D:8E:9C:2C","#
            + #""tags":{"E3:75:CF:37:4E:23":{"rssi":-62,"timestamp":"\#(seconds)","data":"\#(Hex.encode(bytes))"}}}}"#
    }
}

extension FakePeople {
    /// Returns the token of a gateway; the same request gives the same token.
    func admit(_ gateway: String, title: String) throws -> String {
        let answer = try attempt(
            "POST", "/v1/gateways", #"{"gateway":"\#(gateway)","title":"\#(title)"}"#, key: "demo-\(gateway)")
        return try JSONValue.parse(answer).get("token")
    }

    func uplink(_ token: String, _ body: String) throws { _ = try attempt("POST", "/v1/uplink/\(token)", body) }
}
