import JSON
import Testing

@testable import BluetoothCentral
@testable import Radio

@Suite("Profiles of devices")
struct ProfileTests {
    private func profile(_ members: String) throws(JSONError) -> GATTProfile? {
        try GATTProfile.all(in: #"{"profiles":[{"name":"x",\#(members)}]}"#).first
    }

    private let services =
        #""services":[{"service":"181a","notify":["2a6e"],"write":[{"characteristic":"2a7f","hex":"01"}]}]"#

    @Test func `the built-in profile is for the CC2650 SensorTag`() throws {
        let profile = try GATTProfile.sensorTag
        let peer = Peripheral(address: 1, isRandomAddress: false)
        #expect(profile.fits(peer, AdvertisingData([0x11, 9] + Array("CC2650 SensorTag".utf8))))
        #expect(!profile.fits(peer, AdvertisingData([0x0A, 9] + Array("SensorTag".utf8))))
        #expect(profile.sensor == "hdc1000" && profile.interval == 10)
    }

    @Test func `a device is recognised by its name, an advertised service, or its address`() throws {
        let peer = Peripheral(address: 0x546C_0E00_0001, isRandomAddress: false)
        let other = Peripheral(address: 2, isRandomAddress: false)
        let advertised = try #require(try profile(#""advertises":["181A"],\#(services)"#))
        #expect(advertised.fits(other, AdvertisingData([3, 3, 0x1A, 0x18])))
        #expect(!advertised.fits(other, AdvertisingData([3, 3, 0x0F, 0x18])))
        let addressed = try #require(try profile(#""addresses":["54:6C:0e:00:00:01"],\#(services)"#))
        #expect(addressed.fits(peer, AdvertisingData([])))
        #expect(!addressed.fits(other, AdvertisingData([])))
        #expect(addressed.services.first?.writes.first?.uuid == "00002a7f-0000-1000-8000-00805f9b34fb")
    }

    @Test(arguments: [
        (#""services":[]"#, "needs names"), (#""names":["a"],"services":[]"#, "1 to 8 services"),
        (#""names":["a"],"services":[{"service":"181a"}]"#, "notifies of nothing"),
        (#""names":["a"],"services":[{"service":"181a","notify":["2a00"]}]"#, "the farm cannot read"),
        (#""names":["a"],"services":[{"service":"18","notify":["2a6e"]}]"#, "expected a UUID"),
        (#""names":["a"],"services":[{"service":"181a","notify":["2a6e"],"writes":[]}]"#, "is not known here"),
        (#""names":["a"],"sensor":"bme280","services":[{"service":"181a","notify":["2a6e"]}]"#, "hdc1000"),
        (#""names":["a"],"interval":-1,"services":[{"service":"181a","notify":["2a6e"]}]"#, "0 to 3600"),
        (#""addresses":["54:6c"],"services":[{"service":"181a","notify":["2a6e"]}]"#, "six bytes"),
        (
            #""names":["a"],"services":[{"service":"181a","notify":["2a6e"],"write":[{"characteristic":"2a7f","hex":""}]}]"#,
            "1 to 20 bytes"
        ),
    ])
    func `a profile that cannot work is refused by what is wrong with it`(members: String, reason: String) {
        let error = #expect(throws: JSONError.self) { try profile(members) }
        #expect(error?.description.contains(reason) == true, "\(String(describing: error))")
    }
}
