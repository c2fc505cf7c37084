import Crypto
import Foundation
import Host
import System
import Testing
import Vocabulary

@testable import Console

@Suite("The vote of three machines")
struct VoteTests {
    /// What a standby decides, one step after the other.
    private func decisions(_ steps: [(vote: Vote.Outcome, isGood: Bool, second: Int64)]) -> [Bool] {
        var takeover = Takeover()
        return steps.map { takeover.shouldTake($0.vote, isGood: $0.isGood, at: $0.second) }
    }

    @Test func `a standby takes over when the vote is gone that it has seen, and not before`() {
        // It starts while no machine has the vote: the farm server may start later.
        let taken = decisions([
            (.isFree, true, 0), (.isOf("10.0.0.1"), true, 1), (.isOf("10.0.0.1"), false, 10),
            (.isFree, false, 12), (.isOwn, false, 100),
        ])
        #expect(taken == [false, false, false, true, true])
    }

    @Test func `a standby that has been behind for long does not take over`() {
        #expect(
            decisions([(.isOf("10.0.0.1"), true, 0), (.isFree, false, 20), (.isFree, false, 21)])
                == [false, true, false])
    }

    @Test func `a farm server stops well before its vote can be another machine's`() {
        #expect(Vote.marginSeconds >= 4 && Vote.seconds - Vote.marginSeconds >= 5)
        #expect(Int64(Vote.seconds) < Takeover.goodSeconds)
    }

    @Test func `the doctor says whether all three machines vote`() throws {
        let now = Instant(microseconds: 1_800_000_000_000_000)
        func state(_ holder: String?, _ others: Int, secondsAgo: Double = 0) -> Finding.State {
            VoteState.finding(
                VoteState(at: now.advanced(bySeconds: -secondsAgo), holder: holder, others: others), at: now
            ).state
        }
        #expect(state("10.0.0.1", 2) == .ok)
        #expect(state("10.0.0.1", 1) == .act)
        #expect(state(nil, 2) == .act)
        #expect(state("10.0.0.1", 2, secondsAgo: 61) == .act)
        #expect(VoteState.finding(nil, at: now).state == .act)
        let written = VoteState(at: now, holder: "10.0.0.1", others: 2)
        #expect(try VoteState(json: written.json) == written)
    }

    @Test func `connected members are counted`() {
        let metrics = """
            # TYPE etcd_network_active_peers gauge
            etcd_network_active_peers{Local="8425",Remote="9b75"} 1
            etcd_network_active_peers{Local="8425",Remote="d7c7"} 0
            etcd_server_has_leader 1
            """
        #expect(EtcdClient.activePeers(in: metrics) == 1)
    }

    @Test func `a third machine's invitation has no password, and makes it vote`() throws {
        let folder = try Folder()
        let votes = ["10.0.0.1", "10.0.0.2", "10.0.0.3"]
        var settings = StandbySettings(role: .primary, address: votes[0], port: 5_433, password: "secret", votes: votes)
        let path = "\(folder.path)/invitation"
        try StandbyInvitation(settings: settings, authority: "a", key: "k").write(path)
        #expect(try StandbyInvitation(path: path).settings == settings)
        (settings.role, settings.password) = (.vote, "")
        try StandbyInvitation(settings: settings, authority: "a", key: "k").write(path)
        #expect(!String(decoding: try File.read(path, limit: 4_096), as: UTF8.self).contains("password"))
        #expect(try StandbyInvitation(path: path).settings == settings)
    }

    @Test func `members of etcd know each other by the pair's certificates`() throws {
        let folder = try Folder()
        let farmPaths = try FarmPaths(home: folder.path, environment: ["FURROW_RUN": "\(folder.path)/run"])
        let votes = ["10.0.0.1", "10.0.0.2", "hub.farm"]
        let settings = StandbySettings(role: .vote, address: "hub.farm", port: 5_433, password: "", votes: votes)
        let authority = try LocalAuthority.create(
            name: "Pair", now: AdjustableClock.machine.microseconds / 1_000_000, names: ["hub.farm"])
        try StandbyFolder(farmPaths).write(authority: authority.certificate.pem, key: try authority.key.pem())
        #expect(try StandbyFolder(farmPaths).renewCertificate(settings))
        #expect(try !StandbyFolder(farmPaths).renewCertificate(settings))
        #expect(settings.votePort == 5_434)
        #expect(EtcdServer.socket(farmPaths) == "\(folder.path)/run/etcd:0")
    }
}
