import Host
import Testing

@testable import SensorIngest

@Suite("The address of a serial line")
struct SerialLineAddressTests {
    @Test(arguments: [
        ("/dev/ttyUSB0", "/dev/ttyUSB0", 115_200 as UInt32), ("/dev/ttyUSB0@460800", "/dev/ttyUSB0", 460_800),
        ("/dev/serial/by-id/usb-A@B", "/dev/serial/by-id/usb-A@B", 115_200), ("/dev/a@1:2@9600", "/dev/a@1:2", 9_600),
    ])
    func `a speed may follow the path`(text: String, path: String, baud: UInt32) throws {
        let address = try SerialLineAddress(text)
        #expect(address.path == path && address.baud == baud)
    }

    @Test(arguments: ["/dev/ttyUSB0@1234", "@9600", "/dev/ttyUSB0@0"])
    func `a speed that no serial line has is refused`(text: String) {
        #expect(throws: SettingError.self) { try SerialLineAddress(text) }
    }
}
