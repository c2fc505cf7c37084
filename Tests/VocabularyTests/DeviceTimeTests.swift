import Testing
import Vocabulary

@Suite("Times of devices")
struct DeviceTimeTests {
    @Test(arguments: [
        (1_653_633_986, "2022-05-27T06:46:26.000000Z"), (1_653_633_986.5, "2022-05-27T06:46:26.500000Z"),
        (1_653_633_986_250, "2022-05-27T06:46:26.250000Z"), (17, "1970-01-01T00:00:17.000000Z"),
    ])
    func `a number of seconds or milliseconds since 1970 is an instant`(number: Double, written: String) {
        #expect(Instant(secondsOrMilliseconds: number)?.description == written)
    }

    @Test(arguments: [0, -1, 1e13, .infinity, -.infinity, .nan])
    func `a number that no clock shows is no instant`(number: Double) {
        #expect(Instant(secondsOrMilliseconds: number) == nil)
    }

    @Test func `an instant before 2010 comes from a clock that was not set`() throws {
        #expect(try !#require(Instant("2009-12-31T23:59:59Z")).isOfSetClock)
        #expect(try #require(Instant("2010-01-01T00:00:01Z")).isOfSetClock)
    }
}
