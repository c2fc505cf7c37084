import BluetoothCentral
import JSON
import System
import TestKit
import Testing
import Vocabulary

@testable import RadioHub

@Suite("The settings and the status of a hub")
struct RadioHubSettingsTests {
    private func options(_ words: String..., environment: [String: String] = [:]) throws(UsageError)
        -> RadioHubOptions
    {
        try RadioHubOptions(words, environment: { environment[$0] })
    }

    @Test func `a hub can be set up by its environment alone`() throws {
        let options = try options(environment: [
            "FURROW_HUB_FARM": "https://farm.example/", "FURROW_HUB_CONTROLLER": "/dev/ttyACM0",
            "FURROW_HUB_TOKEN": "t1\n",
        ])
        #expect(options.farm == "https://farm.example" && options.token == "t1")
        #expect(options.home == "/var/lib/furrow-hub" && options.authority == nil)
        #expect(options.profiles.map(\.name) == ["sensortag-cc2650"])
    }

    @Test func `arguments replace the environment, in either form`() throws {
        let options = try options(
            "--farm=http://10.0.0.2:8080", "--controller", "/run/hci.sock", "--home", "/tmp/hub",
            environment: ["FURROW_HUB_FARM": "https://farm.example", "FURROW_HUB_TOKEN": "t1"])
        #expect(options.farm == "http://10.0.0.2:8080" && options.controller == .line("/run/hci.sock"))
        #expect(options.home == "/tmp/hub")
    }

    @Test func `what is received of beacons is sent each second, unless that is off`() throws {
        let words = ["--farm", "https://farm.example"]
        let token = { (_: String) in "t1" }
        #expect(try RadioHubOptions(words, environment: token).isRanging)
        #expect(try RadioHubOptions(words + ["--ranging", "off"], environment: token).isRanging == false)
        #expect(throws: UsageError.self) { try RadioHubOptions(words + ["--ranging", "1"], environment: token) }
    }

    @Test(arguments: [
        ("bluez", ControllerAddress.bluez(adapter: nil)), ("bluez:hci1", .bluez(adapter: "hci1")),
        ("/dev/ttyACM0", .line("/dev/ttyACM0")), ("bluezer", .line("bluezer")),
    ])
    func `a controller is an adapter of BlueZ or a path`(text: String, address: ControllerAddress) throws {
        let given = try options("--farm", "http://f", environment: ["FURROW_HUB_TOKEN": "t"])
        #expect(given.controller == .bluez(adapter: nil), "the first adapter is the default")
        #expect(try ControllerAddress(text) == address && address.description == text)
        #expect(throws: UsageError.self) { try ControllerAddress("bluez:usb") }
    }

    @Test func `what is missing or misspelt is named`() {
        #expect(throws: UsageError("--home needs a value after it")) { try options("--home") }
        #expect(throws: UsageError("--hoem is not understood; try --help")) { try options("--hoem", "x") }
        #expect(
            throws: UsageError(
                "--farm wants an address that begins with https:// or http://, not farm.example")
        ) { try options("--farm", "farm.example") }
    }

    @Test(arguments: [
        (200, "", FarmDelivery.Outcome.accepted),
        (400, #"{"status":400,"detail":"adverts/0/hex: expected hex"}"#, .refused("400 adverts/0/hex: expected hex")),
        (413, "no JSON", .refused("413")),
        (401, #"{"detail":"Sign in."}"#, .failed("the farm does not accept the token: 401 Sign in.")),
        (202, "{}", .failed("202 ")),
        (429, "{}", .failed("429 ")),
        (503, "<html>", .failed("503")),
    ])
    func `only 200 removes reports, and only what can never be accepted is put aside`(
        status: Int, body: String, outcome: FarmDelivery.Outcome
    ) {
        #expect(FarmDelivery.outcome(status: status, body: Array(body.utf8)) == outcome)
    }

    @Test func `the pause doubles up to a minute, and half of it is random`() {
        var pause = RetryPause(first: QueueLimits.pauseMicroseconds, longest: QueueLimits.longestPauseMicroseconds)
        #expect(pause.isOver(at: 0))
        var ends: [Int64] = []
        for _ in 0..<8 {
            pause.fail(at: 0, random: { $0.upperBound })
            ends.append((1...200).first { pause.isOver(at: $0 * 1_000_000) } ?? 0)
        }
        #expect(ends == [1, 2, 4, 8, 16, 32, 60, 60])
        pause.fail(at: 0, random: { $0.lowerBound })
        #expect(pause.isOver(at: 30_000_000))
        pause.succeed()
        #expect(pause.isOver(at: 0))
    }

    @Test func `the status is read as it was written, and says in words what is wrong`() throws {
        var status = RadioHubStatus()
        status.controller = "the controller does not respond"
        status.farm = "401"
        (status.waiting, status.oldest) = (3, Instant(microseconds: 1_000_000))
        (status.received, status.delivered, status.removed, status.refused) = (9, 4, 2, 1)
        status.connected = ["54:6c:0e:00:00:01"]
        #expect(try RadioHubStatus(json: try .parse(status.json)) == status)
        #expect(
            status.lines == [
                "Radio: the controller does not respond", "Connected: 54:6c:0e:00:00:01", "Farm: 401",
                "Since the start: 9 reports received, 4 delivered",
                "Waiting: 3, the oldest from 1970-01-01 00:00:01 UTC",
                "Lost: 2 reports that waited for a week, or were too many",
                "Requests that the farm refused: 1, kept in queue.db",
            ])
    }
}
