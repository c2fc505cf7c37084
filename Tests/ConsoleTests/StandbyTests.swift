import Crypto
import EventStore
import Foundation
import JSON
import System
import Testing
import Vocabulary

@testable import Console

@Suite("A standby")
struct StandbyTests {
    @Test func `settings are read as they were written, and only their owner may read them`() throws {
        let folder = try Folder()
        #expect(try StandbySettings(of: folder.path) == nil)
        let settings = StandbySettings(
            role: .standby, address: "192.168.1.11", port: 5_433, peer: "192.168.1.10", password: "secret")
        try settings.write(to: folder.path)
        #expect(try StandbySettings(of: folder.path) == settings)
        #expect(try File.mode("\(folder.path)/\(StandbySettings.fileName)") & 0o077 == 0)
        let farmPaths = try FarmPaths(home: folder.path, environment: ["FURROW_RUN": "/tmp/run"])
        #expect(farmPaths.conninfo == "host=/tmp/run port=5433 dbname=furrow user=furrow")
    }

    @Test func `the database of a pair listens at one address, over TLS, and to the other machine only`() throws {
        let folder = try Folder()
        let settings = StandbySettings(role: .primary, address: "192.168.1.10", port: 5_433, password: "secret")
        let standby = StandbyFolder(try FarmPaths(home: folder.path))
        let authority = try LocalAuthority.create(name: "Pair", now: 1_800_000_000)
        try standby.write(authority: authority.certificate.pem, key: try authority.key.pem())
        let options = standby.options(settings)
        #expect(options.contains("listen_addresses=192.168.1.10") && options.contains("ssl=on"))
        let rules = String(decoding: try File.read(standby.accessRules, limit: 4_096), as: UTF8.self)
        let network = rules.split(separator: "\n").filter { !$0.hasPrefix("local") }
        #expect(network.count == 2 && network.allSatisfy { $0.hasPrefix("hostssl") && $0.hasSuffix("scram-sha-256") })
        #expect(standby.conninfo(to: "192.168.1.11", settings).contains("sslmode=verify-ca"))
        #expect(try File.mode(standby.authorityKey) & 0o077 == 0)
    }

    @Test func `what is sent can be read with the standby's key only`() throws {
        let key = X25519Key.generate()
        let content = Array("a vault".utf8)
        let message = try HPKE(to: key.publicKey, info: StandbySealing.info)
        let sealed = message.encapsulated + (try message.seal(content))
        #expect(try StandbySealing.open(sealed, key) == content)
        #expect(throws: (any Error).self) { try StandbySealing.open(sealed, .generate()) }
        var changed = sealed
        changed[40] ^= 1
        #expect(throws: (any Error).self) { try StandbySealing.open(changed, key) }
    }

    @Test func `stored responses cross as they are`() throws {
        let page = [
            NumberedResponse(
                number: 1, actor: "person/1", key: "k-1", digest: [0, 255, 7], status: 201, body: Array("{}".utf8),
                sum: .min),
            NumberedResponse(number: 2, actor: "x", key: "ä \"", digest: [], status: 409, body: [0, 1], sum: .max),
        ]
        var json = JSONWriter()
        page.write(to: &json)
        #expect(try [NumberedResponse](json: JSONValue.parse(json.bytes)) == page)
    }

    @Test(arguments: [
        ("vault/sync-gateway/0.db", "sync-gateway/0/vault.db"), ("media/sync-gateway/0/ab", "sync-gateway/0/media/ab"),
        (
            "journals/sensor-ingest/1.segments/000000000001-000000000700.segment",
            "sensor-ingest/1/journal.segments/000000000001-000000000700.segment"
        ),
        ("home/demo.json", "demo.json"), ("home/maps/a.geojson", "maps/a.geojson"),
        ("vault/../0.db", nil), ("media/sync-gateway/0/../../x", nil), ("home/other/x", nil), ("", nil),
    ])
    func `a file is placed where it was, and nowhere else`(name: String, place: String?) {
        #expect(StandbyHome.place(of: name) == place)
    }

    @Test func `the doctor says whether the other machine has everything`() {
        let now = Instant(microseconds: 1_800_000_000_000_000)
        func state(_ change: (inout StandbyState) -> Void = { _ in }, secondsAgo: Double = 0) -> Finding.State {
            let pair = StandbySettings(role: .primary, address: "a", port: 1, peer: "10.0.0.2", password: "x")
            var state = StandbyState(pair, at: now.advanced(bySeconds: -secondsAgo))
            (state.isConnected, state.filesSeconds, state.isSynchronous) = (true, 1, true)
            change(&state)
            return StandbyFindings.rule(state, at: now).state
        }
        #expect(state() == .ok)
        #expect(state({ $0.peer = nil }) == .mind)
        #expect(state(secondsAgo: 61) == .act)
        #expect(state({ $0.isConnected = false }) == .act)
        #expect(state({ $0.databaseSeconds = 90 }) == .act)
        #expect(state({ ($0.databaseSeconds, $0.isPaused) = (90, true) }) == .ok, "a backup is being made there")
        #expect(state({ $0.filesSeconds = nil }) == .act)
        #expect(state({ $0.wantsSynchronous = true }) == .ok)
        #expect(state({ ($0.wantsSynchronous, $0.isSynchronous) = (true, false) }) == .act)
    }

    @Test func `a state is read as it was written`() throws {
        let pair = StandbySettings(
            role: .primary, address: "a", port: 1, peer: "10.0.0.2", password: "x", isSynchronous: true)
        var state = StandbyState(pair, at: Instant(microseconds: 1_800_000_000_000_000))
        (state.isConnected, state.databaseSeconds, state.missingBytes, state.waitingEvents) = (true, 0.5, 12, 7)
        (state.filesSeconds, state.isPaused, state.files, state.fileBytes) = (1.5, true, 3, 4_096)
        #expect(try StandbyState(json: state.json) == state)
        let text = String(decoding: state.json, as: UTF8.self)
        #expect(!text.contains("secret") && state.text.contains("7 events"))
    }

    @Test func `commits wait for a connected standby, and for ten seconds for one that has gone`() {
        var mode = SynchronousMode()
        let second: Int64 = 1_000_000
        #expect(mode.decide(isConnected: false, at: 0) == false)
        #expect(mode.decide(isConnected: true, at: second) == true)
        #expect(mode.decide(isConnected: true, at: 2 * second) == nil)
        #expect(mode.decide(isConnected: false, at: 5 * second) == nil)
        #expect(mode.decide(isConnected: false, at: 11 * second) == nil)
        #expect(mode.decide(isConnected: false, at: 12 * second) == false)
        #expect(mode.decide(isConnected: false, at: 13 * second) == nil)
        #expect(mode.decide(isConnected: true, at: 20 * second) == true)
    }

    @Test func `a machine without a standby is not fenced, and one that was fenced stays so`() throws {
        let folder = try Folder()
        let farmPaths = try FarmPaths(home: folder.path, environment: ["FURROW_RUN": "/tmp/run"])
        #expect(try !StandbyFence(farmPaths).look())
        try StandbyFence(farmPaths).check()
        try StandbySettings(
            role: .primary, address: "127.0.0.1", port: 1, peer: "127.0.0.1", password: "x"
        ).write(to: folder.path)
        #expect(try !StandbyFence(farmPaths).look(), "a standby that is not reached has not been promoted")
        try Directory.create("\(folder.path)/standby")
        let fence = #"{"by":"127.0.0.2","at":"2026-05-01","journals":[{"origin":"a/b-0","position":7,"hash":""}]}"#
        try File.writeAtomically(StandbyFolder(farmPaths).fence, Array(fence.utf8))
        #expect(throws: Refusal.self) { try StandbyFence(farmPaths).check() }
        #expect(try StandbyFence(farmPaths).kept() == ["a/b-0": 7])
    }

    @Test func `containers read whether this machine may run the farm as it was written`() throws {
        let folder = try Folder()
        let gate = PairGate(folder: folder.path)
        #expect(try gate.read() == nil && gate.written() == nil)
        for state in [PairGate.State.primary, .standby, .fenced] {
            try gate.write(state)
            #expect(try gate.read() == state && gate.written() != nil)
        }
        try File.writeAtomically("\(folder.path)/pair", Array("other\n".utf8))
        #expect(throws: Refusal.self) { try gate.read() }
    }
}
