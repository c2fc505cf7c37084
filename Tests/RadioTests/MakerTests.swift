import Testing
import Vocabulary

@testable import Radio

/// Packets of makes without recorded ones. The expected values are those of another decoder for the same bytes, except
/// where a test's name states otherwise.
@Suite("Packets of many makes")
struct MakerTests {
    /// AD structures, and the values that another decoder gives.
    static let packets: [(make: String, hex: String, values: [Quantity: Double])] = [
        (
            "Aranet4", "19ff020721130401000c0f018a02af0193272d5c013c001e0007",
            [.co2: 650, .temperature: 21.55, .pressure: 1013.1, .humidity: 45, .battery: 92]
        ),
        (
            "Mopeka Pro Check", "0dff590003603cf4c112345605fb",
            [.temperature: 20, .voltage: 3, .level: 192.2325]
        ),
        (
            "Mokosmart H4", "1316abfe70000a00eb02260c1c00aabbccddeeff",
            [.temperature: 23.5, .humidity: 55, .voltage: 3.1]
        ),
        (
            "Mokosmart H4", "1316abfe70000affdb02260c1c00aabbccddeeff",
            [.temperature: -3.7, .humidity: 55, .voltage: 3.1]
        ),
        (
            "BlueCharm", "1016aafe21010b0c1c1540000a00140400",
            [
                .temperature: 21.25, .voltage: 3.1, .accelerationX: 0.0980665, .accelerationY: 0.196133,
                .accelerationZ: 10.0420096,
            ]
        ),
        ("BM2", "1aff4c000215655f83caae16a10a702e31f30d58dd82f644000057", [.battery: 87]),
        ("BM6", "1aff4c0002153ba29cd9a42c894856badaf2606ef777f64f000057", [.battery: 79]),
        ("NodOn NIU", "131600000001020304050607080900045a000001", [.battery: 90]),
        ("Sensor Easy T", "05166e2a46fe", [.temperature: -4.42]),
        ("Sensor Easy RHT", "04166f2a2d", [.humidity: 45]),
        ("SwitchBot Contact Sensor", "0c163dfd640055020001000241", [.contact: 1, .battery: 85]),
        (
            "SwitchBot Outdoor Meter", "06163dfd7700550fff6909aabbccddeeff1a0305152c00",
            [.temperature: -21.5, .humidity: 44, .battery: 85]
        ),
        (
            "b-parasite 2", "13161a1820030bb808ca80004000c0ffee123456",
            [.temperature: 22.5, .humidity: 50, .soilMoisture: 25, .voltage: 3]
        ),
        (
            "b-parasite 2", "15161a1821030bb808ca80004000c0ffee1234560123",
            [.temperature: 22.5, .humidity: 50, .soilMoisture: 25, .voltage: 3, .illuminance: 291]
        ),
        ("iNode Energy Meter", "0eff90820400cfe40000dc05b0ed10", [.power: 160, .energy: 39.05, .battery: 100]),
    ]

    @Test func `each packet gives the values that another decoder gives, and no others`() throws {
        for (make, hex, values) in Self.packets {
            let report = try #require(try decode(hex).reports.first, "\(make)")
            #expect(Set(report.readings.map(\.quantity)) == Set(values.keys), "\(make)")
            for (quantity, value) in values {
                let ours = try #require(report.value(quantity), "\(make) \(quantity)")
                #expect(abs(ours - value) < 0.0006, "\(make) \(quantity)")
            }
        }
    }

    @Test(arguments: [
        // Plug Mini: state on, 12.3 W, with the bit of an overload.
        ("06163dfd670001" + "10ff6909c0ffee1234560180001e807b00", [Quantity.power: 12.3]),
        // Leak detector: 100 %, wet.
        ("06163dfd260000" + "0cff6909c0ffee123456016401", [.battery: 100, .leak: 1]),
        // Meter Pro CO2.
        (
            "06163dfd350064" + "12ff6909c0ffee123456016403992d0000029e",
            [.temperature: 25.3, .humidity: 45, .battery: 100, .co2: 670]
        ),
        // Minew S1.
        ("1016e1ffa1015f158032005634 12eeffc0", [.battery: 95, .temperature: 21.5, .humidity: 50]),
    ])
    func `packets of unconfirmed formats are read as their makers describe them`(
        _ hex: String, _ values: [Quantity: Double]
    ) throws {
        let report = try #require(try decode(hex.replacing(" ", with: "")).reports.first)
        #expect(Set(report.readings.map(\.quantity)) == Set(values.keys))
        for (quantity, value) in values { #expect(abs((report.value(quantity) ?? -1) - value) < 0.0006) }
    }

    @Test(arguments: [
        // SwitchBot's manufacturer data without the service data that names the model.
        "0fff6909c0ffee1234560180001e007b",
        // Nordic's number and Mopeka's length, but not the sender's address.
        "0dff590003603cf4c1aabbcc05fb",
        // ThermoPro's values without a name.
        "07ffc2f1001d022c",
        // A merged packet of ThermoPro with two structures of values.
        "07ffc2f1001d022c07ffc2f2001d022c0d09545033353720283231343229",
        // SensorPush, page 1.
        "06ff059ac9a546150953656e736f72507573682048542e772030434131",
        // Inkbird, battery 255 %.
        "0afffc07c71200c83dff060409737073",
        // Govee H5178 with a third sensor.
        "0cff010001010700 2af7640003 0a09423531373832424338",
        // A beacon of an unknown make.
        "0dff5900ff603cf4c1aabbcc05fb",
    ])
    func `a packet that leaves a choice is received, not guessed`(_ hex: String) throws {
        let advertisement = try self.advertisement(hex.replacing(" ", with: ""))
        let decoded = AdvertisementDecoder().decode(advertisement)
        #expect(decoded.reports.isEmpty)
        #expect(AdvertisementDecoder.miss(advertisement, decoded)?.gap == .unsupported)
    }

    @Test func `a Mopeka sensor of another liquid gives temperature and voltage, but no level`() throws {
        let report = try #require(try decode("0dff590005603cf4c112345605fb").reports.first)
        #expect(report.value(.temperature) == 20 && report.value(.voltage) == 3 && report.value(.level) == nil)
    }

    @Test func `Tuya's Bluetooth sensors are counted as encrypted`() throws {
        for hex in ["0a1601a2010203040506 07", "0916 50fd010203040506", "0affd0070102030405 0607"] {
            let advertisement = try self.advertisement(hex.replacing(" ", with: ""))
            let decoded = AdvertisementDecoder().decode(advertisement)
            #expect(AdvertisementDecoder.miss(advertisement, decoded)?.gap == .encrypted)
        }
    }

    @Test func `a temperature that equals the number of a company is the named sender's`() throws {
        // Inkbird's 11.77 °C are the bytes of Ruuvi's number, its 0.76 °C those of Apple's.
        let name = "0409747073"
        #expect(try decode("0aff9904000000c66e0d06" + name).reports.first?.value(.temperature) == 11.77)
        #expect(try decode("0aff4c00000000c66e0d06" + name).reports.first?.value(.temperature) == 0.76)
        #expect(try decode("0aff9904000000c66e0d06").problems.count == 1)
    }

    private func advertisement(_ hex: String) throws -> Advertisement {
        Advertisement(address: 0xC0FF_EE12_3456, rssi: -60, data: try #require(Hex.decode(hex), "\(hex)"))
    }

    private func decode(_ hex: String) throws -> DecodedInput {
        AdvertisementDecoder().decode(try advertisement(hex))
    }
}
