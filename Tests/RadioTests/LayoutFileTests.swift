import Testing
import Vocabulary

@testable import Radio

@Suite("The file of a farm's own nodes")
struct LayoutFileTests {
    private static let node = """
        # A CC2530 with a DHT11 and a soil probe.
        layout greenhouse-node
          profile 0x0F05
          cluster 0x0001   # of its own
          endpoint 20
          counter at 0 u16
          temperature at 2 s16be /10 +-40
          soil-moisture at 4 u8
          sum at 5
        """

    private func layouts(_ text: String) throws -> [Layout] { try LayoutFile(Array(text.utf8)).layouts }

    private func flaw(_ text: String) -> String? {
        do throws(LayoutFile.Flaw) {
            _ = try LayoutFile(Array(text.utf8))
            return nil
        } catch {
            return "\(error)"
        }
    }

    @Test func `a message of a declared node is decoded, on the endpoint that its layout names`() throws {
        let layout = try #require(try layouts(Self.node).first)
        #expect(layout.name == "greenhouse-node" && layout.length == 6 && layout.endpoint == 20)
        let payload: [UInt8] = [0x07, 0x01, 0x02, 0x6C, 33, 0x07 &+ 0x01 &+ 0x02 &+ 0x6C &+ 33]
        #expect(layout.write([.temperature: 22, .soilMoisture: 33], counter: 0x107) == payload)
        var decoder = ZNPDecoder(layouts: [layout])
        decoder.addresses.learn(short: 0x1A2B, ieee: 0x00124B0001020304)
        let message = IncomingMessage(
            group: 0, cluster: 1, source: .short(0x1A2B), sourceEndpoint: 9, destinationEndpoint: 20,
            wasBroadcast: false, lqi: 90, security: 0, timestamp: 0, sequence: 3, data: payload,
            trailer: .init(router: 0x1A2B, radius: 29))
        let report = try #require(decoder.decode(ZNPMessage.framework(.incoming(message))).reports.first)
        #expect(report.holds([(.temperature, 22), (.soilMoisture, 33)]) && report.counter == 0x107)
        #expect(report.protocolName == "greenhouse-node" && report.device == DeviceID("zb:00124b0001020304"))
        var stranger = ZNPDecoder()
        #expect(stranger.decode(ZNPMessage.framework(.incoming(message))).reports.isEmpty)
    }

    @Test func `several layouts, DOS line ends and an empty file are read`() throws {
        let second = Self.node.replacing("greenhouse-node", with: "barn").replacing("0x0001", with: "2")
        #expect(try layouts(Self.node + "\n" + second).map(\.name) == ["greenhouse-node", "barn"])
        #expect(try layouts(Self.node.replacing("\n", with: "\r\n")) == layouts(Self.node))
        #expect(try layouts("\n# nothing yet\n").isEmpty)
        let own = "layout extra\nprofile 0xF0A0\ncluster 2\nsensor dht11\nhumidity at 0 tenths"
        #expect(try layouts(own).map(\.endpoint) == [240])
    }

    @Test(arguments: [
        ("temperature at 0 s16", "line 1: a layout begins with: layout NAME"),
        ("layout Greenhouse", "line 1: expected: layout NAME, of at most 40 lower-case letters, digits and hyphens"),
        ("layout a\n\nprofile 70000", "line 3: expected: profile and a number from 0 to 65535"),
        ("layout a\ncluster 1\ncluster 2", "line 3: a second cluster"),
        (
            "layout a\ntemperature 0 s16",
            "line 2: expected: temperature at BYTE FORM, for example temperature at 0 s16 /100"
        ),
        (
            "layout a\ntemperature at 0 i16",
            "line 2: i16 is no form: u8, u16, u32, s8, s16, s32, each also with be, or tenths"
        ),
        (
            "layout a\ntemperature at 0 s16 /0",
            "line 2: /0 is neither a divisor such as /100 nor an addend such as +-40"
        ),
        (
            "layout a\ntemperature at 0 s16\nhumidity at 1 u8",
            "line 3: byte 1 is temperature of line 2 already; bytes are counted from 0"
        ),
        ("layout a\ntemperature at 249 s16", "line 2: a payload has at most 250 bytes"),
        ("layout a\ntemperature at 0 s16\ntemperature at 2 s16", "line 3: a second temperature"),
        ("layout a\nprofile 1\ncluster 1\n\nlayout b", "line 1: a has no quantity"),
        ("layout a\ntemperature at 0 s16", "line 1: a needs a profile and a cluster"),
        ("layout a\nprofile 1\ncluster 1\npH at 0 u8", "line 4: pH is none of: "),
        ("layout a\nsilence at 0 u8", "line 2: silence is none of: "),
        ("layout a\nprofile 1\ncluster 1\nph at 0 u8", "line 1: a needs the endpoint of the coordinator"),
        (
            "layout a\nprofile 1\nendpoint 1\ncluster 1\nph at 0 u8",
            "line 1: endpoint 1 has another profile; use one from 2 to 239"
        ),
        (
            "layout a\nprofile 0xF0A0\ncluster 1\nph at 0 u8",
            "line 1: a has the profile and the cluster of furrow-node-1"
        ),
        ("layout dht11\nprofile 2\nendpoint 2\ncluster 1\nph at 0 u8", "line 1: dht11 is the name of another layout"),
        ("layout a\nsensor oven", "line 2: expected once: sensor and one of dht11, plant, thermocouple"),
        ("layout a\ncounter at 0 s16", "line 2: expected once: counter at BYTE u8, u16, u24 or u32"),
    ])
    func `a flaw is named with its line, and what to write instead`(text: String, expected: String) {
        let found = flaw(text)
        #expect(found?.hasPrefix(expected) == true, "\(found ?? "none") for \(text)")
    }

    @Test func `two layouts cannot give one endpoint two profiles, and a file has limits`() {
        let other = Self.node.replacing("greenhouse-node", with: "b").replacing("0x0F05", with: "7")
        #expect(flaw(Self.node + "\n" + other) == "line 11: endpoint 20 has the profile of greenhouse-node")
        let many = (0...64).map { "layout n\($0)\nprofile 0xF0A0\ncluster \($0 + 100)\nph at 0 u8" }
        #expect(flaw(many.joined(separator: "\n")) == "line 257: more than 64 layouts")
        #expect(flaw(String(repeating: "#", count: 65_537)) == "line 1: the file is longer than 65536 bytes")
    }
}
