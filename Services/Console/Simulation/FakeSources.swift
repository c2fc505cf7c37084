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
    private var sent: Instant?
    private var turn = 0
    private var token: String?
    private var hub: String?

    /// Seconds between two rounds, and after an error.
    private static let seconds = 60.0
    private static let gateway = "packing-hall"
    private static let hub = "radio-hub"

    /// - Parameter port: of the MQTT broker to open; nil for none.
    init(_ people: FakePeople, brokerPort port: Int?) throws {
        self.people = people
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
        // A radio hub that is connected to a SensorTag: HDC1000, temperature and humidity in 1/65,536.
        let (raw, humidity) = (UInt16((celsius + 40) / 165 * 65_536), UInt16(0.55 * 65_536))
        let hex = Hex.encode([raw, humidity].flatMap { [UInt8($0 & 0xFF), UInt8($0 >> 8)] })
        _ = try people.attempt(
            "POST", "/v1/adverts",
            #"{"source":"radio-hub","adverts":[{"address":"54:6c:0e:00:00:01","hex":"\#(hex)","#
                + #""characteristic":"f000aa21-0451-4000-b000-000000000000"}]}"#)
        let hub = try hub ?? people.admit(Self.hub, title: "Greenhouse")
        self.hub = hub
        try people.report(hub, connectedTo: "54:6c:0e:00:00:01", reports: turn)
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

    /// Says what a radio hub does, as furrow-hub does it each minute.
    func report(_ hub: String, connectedTo address: String, reports: Int) throws {
        let state =
            #"{"connected":["\#(address)"],"waiting":0,"received":\#(reports),"removed":0,"refused":0}"#
        let response = try client.send(
            "PUT", url + "/v1/hub",
            headers: [("Authorization", "Bearer \(hub)"), ("Content-Type", "application/json")],
            body: Array(state.utf8),
            timeoutSeconds: 10)
        guard response.status == 204 else { throw Refusal("/v1/hub: \(response.status)") }
    }

    func uplink(_ token: String, _ body: String) throws { _ = try attempt("POST", "/v1/uplink/\(token)", body) }
}
