import Host
import JSON
import System
import Testing
import Vocabulary

@testable import Console

@Suite("Rules of the doctor")
struct DoctorRulesTests {
    let now = Instant("2026-11-21T21:00:00Z") ?? Instant(microseconds: 0)

    private func hoursAgo(_ hours: Double) -> Instant { now.advanced(bySeconds: -hours * 3600) }

    /// A disk of which a tenth must stay free.
    private func disk(_ free: UInt64, of total: UInt64) -> DiskStatus {
        DiskStatus(DiskSpace(free: free, total: total), needed: total / 10)
    }

    @Test(arguments: [
        (50_000_000_000, 1_000_000, Finding.State.ok), (50_000_000_000, 2_500_000_000, .mind),
        (50_000_000_000, 10_000_000_000, .act), (9_900_000_000, 1, .act), (50_000_000_000, 0, .ok),
    ])
    func `the state of a disk depends on how long it lasts`(free: UInt64, bytesPerDay: Double, state: Finding.State) {
        let pace = DiskGrowthEstimate(bytesPerDay: bytesPerDay, seenDays: 7)
        let found = DoctorRules().disk(disk(free, of: 100_000_000_000), pace: pace)
        #expect(found.state == state && (found.advice == nil) == (state == .ok), "\(found)")
    }

    @Test func `an untrusted proxy in front gives a warning that names the setting to change`() {
        let rules = DoctorRules()
        #expect(rules.proxies(forwarder: nil, shared: nil, accounts: 0).isEmpty)
        #expect(rules.proxies(forwarder: nil, shared: "127.0.0.1", accounts: 2).isEmpty)
        let forwarding = rules.proxies(forwarder: "172.18.0.1", shared: nil, accounts: 0)
        #expect(forwarding.first?.state == .mind)
        #expect(forwarding.first?.advice?.contains("FURROW_TRUSTED_PROXIES=172.18.0.1") == true)
        let shared = rules.proxies(forwarder: nil, shared: "172.18.0.1", accounts: 3)
        #expect(shared.first?.check == "proxy" && shared.first?.said.hasPrefix("3 accounts") == true)
    }

    @Test(arguments: [
        (1_000_000_000, 7.0, "seven days", "20 days", 20), (13_000_000, 6.6, "seven days", "4 years", 1538),
        (100_000_000, 3.2, "3 days", "6 months", 200), (1_000_000, 0.1, "2 hours", "more than ten years", 20_000),
        (50_000_000_000, 7, "seven days", "less than a day", 0),
    ])
    func `the finding about a disk names how long its space lasts`(
        bytesPerDay: Double, seen: Double, over: String, lasts: String, days: Int
    ) {
        let pace = DiskGrowthEstimate(bytesPerDay: bytesPerDay, seenDays: seen)
        let found = DoctorRules().disk(disk(24_000_000_000, of: 40_000_000_000), pace: pace)
        #expect(
            found.said
                == "24.0 GB of 40.0 GB are free. At the pace of the last \(over) the disk is enough for \(lasts).")
        #expect(found.days == days)
    }

    @Test func `the finding about a full disk names the free space at which recording resumes`() throws {
        let pace = DiskGrowthEstimate(bytesPerDay: 1_000_000, seenDays: 7)
        let found = DoctorRules().disk(disk(3_900_000_000, of: 40_000_000_000), pace: pace)
        #expect(found.said == "3.9 GB of 40.0 GB are free. Nothing new is recorded until 4.0 GB are.")
        #expect(found.days == 0 && found.state == .act && found.advice != nil)
    }

    @Test func `the finding about a disk gives no duration if its growth is unknown`() throws {
        let found = DoctorRules().disk(disk(24_000_000_000, of: 40_000_000_000), pace: nil)
        #expect(found.said == "24.0 GB of 40.0 GB are free." && found.days == nil && found.state == .ok)
        let ledger = #"{"used":900,"hub":{"head":100},"eventsPerDay":20,"seenDays":5}"#
        let told = try [#"{"used":100}"#, ledger].map { try JSONValue.parse($0) }
        #expect(DiskGrowthEstimate(told) == DiskGrowthEstimate(bytesPerDay: 200, seenDays: 5))
        #expect(DiskGrowthEstimate([told[0]]) == nil && DiskGrowthEstimate([]) == nil)
    }

    @Test func `a backup must exist, be recent, complete and restorable, and be on another disk`() {
        var record = BackupRecord()
        #expect(DoctorRules().backup(record, at: now).state == .act)
        record.made = hoursAgo(3)
        record.isOnSameDisk = false
        #expect(DoctorRules().backup(record, at: now).state == .ok)
        record.isOnSameDisk = true
        #expect(DoctorRules().backup(record, at: now).state == .mind)
        record.made = hoursAgo(27)
        #expect(
            DoctorRules().backup(record, at: now).state == .act
                && DoctorRules().secrets(ofLast: record, at: now).isEmpty)
        record.made = hoursAgo(31 * 24)
        #expect(DoctorRules().secrets(ofLast: record, at: now).first?.state == .act)
        record.made = hoursAgo(1)
        record.why = "The disk is full."
        #expect(
            DoctorRules().backup(record, at: now).said == "The last backup failed: The disk is full.")
        record.why = nil
        (record.restored, record.restoreFault) = (hoursAgo(8), "The hub ends at 7.")
        let untested = DoctorRules().backup(record, at: now)
        #expect(untested.state == .act)
        #expect(untested.said == "A backup could not be restored in a test: The hub ends at 7.")
        record.restoreFault = nil
        record.isOnSameDisk = true
        record.copied = record.made
        #expect(DoctorRules().backup(record, at: now).state == .ok, "a copy elsewhere is as good as another disk")
        record.copyFault = "restic backup failed: no route."
        let uncopied = DoctorRules().backup(record, at: now)
        #expect(uncopied.state == .act)
        #expect(
            uncopied.said == "The last backup could not be copied into the repository: restic backup failed: no route.")
    }

    @Test func `a clock that is behind recorded events, or differs between services, needs attention`() {
        #expect(DoctorRules().clock(now: now, newest: hoursAgo(1)).state == .ok)
        #expect(DoctorRules().clock(now: now, newest: nil).state == .ok)
        #expect(DoctorRules().clock(now: now, newest: hoursAgo(-0.01)).state == .ok)
        #expect(DoctorRules().clocks([("a", 0.4), ("b", -4)]).isEmpty)
        #expect(
            DoctorRules().clocks([("a", 9), ("b", -90)]).first?.said
                == "The clock of b is 90 seconds behind this one's.")
        let found = DoctorRules().clock(now: now, newest: hoursAgo(-2.5))
        #expect(found.state == .act && found.said.contains("2 hours behind"))
        #expect(found.advice?.contains("furrow clock accept") == true)
        let inContainers = DoctorRules(Wording(isStack: true)).clock(now: now, newest: hoursAgo(-2.5))
        #expect(inContainers.advice?.contains("docker compose exec sync-gateway furrow clock accept") == true)
    }

    @Test func `a certificate gives a warning before it expires`() {
        let days = { (count: Double) in DoctorRules().certificate(expires: hoursAgo(-24 * count), now: now)?.state }
        #expect(days(300) == .ok && days(20) == .mind && days(2) == .act && days(-1) == .act)
        #expect(DoctorRules().certificate(expires: nil, now: now) == nil)
    }

    @Test func `the doctor names the address with the most connections`() {
        func found(_ holds: Int, _ halfOpen: Int) -> Finding {
            DoctorRules().connections(
                busiest: "192.0.2.7", holds: holds, of: 512, halfOpen: halfOpen, ofHalfOpen: 128, refused: 7)
        }
        #expect(found(20, 3).state == .ok)
        #expect(found(500, 3).state == .mind && found(500, 3).said.hasPrefix("192.0.2.7 has the most connections: 500"))
        #expect(found(128, 128).state == .mind)
    }

    @Test func `parked events, lag, secrets, address and permissions give findings with advice`() {
        #expect(DoctorRules().parked(0, waiting: 0).state == .ok)
        #expect(DoctorRules().parked(2, waiting: 0).advice?.contains("parked list") == true)
        #expect(DoctorRules().parked(2, waiting: 7).said.contains("7 later ones"))
        #expect(DoctorRules().lag([("a", 5), ("b", 1000)]).state == .ok)
        #expect(DoctorRules().lag([("a", 5), ("b", 1001), ("c", 2000)]).said.contains("2000 events of c"))
        #expect(
            DoctorRules().address(nil).state == .mind && DoctorRules().address("http://127.0.0.1:8080").state == .mind)
        #expect(DoctorRules().address("https://farm.example").state == .ok)
        #expect(
            DoctorRules().secrets([], in: "/b").isEmpty
                && DoctorRules().secrets(["x.vault"], in: "/b").first?.state == .act
        )
        #expect(DoctorRules().permissions(home: "/h", open: []).state == .ok)
        #expect(DoctorRules().permissions(home: "/h", open: ["/h/a", "/h/b"]).said.contains("/h/a and more"))
    }
}

@Suite("Rules of the doctor in a compose stack")
struct StackJudgementTests {
    let rules = DoctorRules(Wording(isStack: true))

    @Test func `advice in a compose stack names docker compose commands`() {
        let backup = rules.backup(BackupRecord(), at: Instant(microseconds: 0))
        #expect(backup.advice?.contains("docker compose run --rm operator furrow backup;") == true)
        #expect(
            rules.parked(1, waiting: 0).advice?.contains("docker compose exec sync-gateway furrow parked list")
                == true)
        #expect(rules.lag([("a", 5000)]).advice?.hasSuffix("docker compose logs trace-ledger") == true)
        #expect(
            rules.missing("recommender has no address").advice?.hasSuffix("docker compose logs recommender") == true)
    }

    @Test func `keys must exist and be listed once, otherwise the finding has advice`() {
        #expect(rules.keys(["a", "b"], problem: nil).state == .ok)
        #expect(rules.keys(["a", "b", "a"], problem: nil).said == "a may still use an old key.")
        #expect(rules.keys(nil, problem: "FURROW_KEYS is not set").state == .act)
    }

    @Test func `services of another build are named in a finding`() {
        #expect(rules.builds([]).state == .ok)
        let found = rules.builds([("a/farm-0", Instant(microseconds: 0)), ("b/farm-0", Instant(microseconds: 0))])
        #expect(found.state == .mind && found.said.contains("a/farm-0 is of another build (1970-01-01T00:00Z)"))
    }
}

@Suite("Log lines")
struct LogLineTests {
    @Test func `log lines of services and of Postgres are merged in order of time`() throws {
        let folder = try Folder()
        func line(_ time: String, _ message: String) -> String {
            "{\"time\":\"2026-11-21T\(time)Z\",\"level\":\"notice\",\"service\":\"x\",\"message\":\"\(message)\",\"a.b\":\"c\"}\n"
        }
        try folder.write(
            "sync-gateway-0.log", Array((line("10:00:00.100", "one") + line("10:00:00.300", "three")).utf8))
        try folder.write(
            "postgres.log",
            Array(
                "2026-11-21 10:00:00.200 UTC [7] LOG:  two\n\tand more of it\n2026-11-21 10:00:00.400 UTC [7] ha".utf8))
        var files = LogFiles(folder: folder.path, service: nil)
        let lines = try files.read()
        #expect(lines.map(\.source) == ["sync-gateway-0", "postgres", "postgres", "sync-gateway-0"])
        #expect(lines[0].text == "2026-11-21 10:00:00  sync-gateway-0  notice  one  (a.b c)")
        #expect(lines[2].text.hasSuffix("\tand more of it"))
        // An incomplete line is read once it is complete.
        #expect(try files.read().isEmpty)
        try folder.write(
            "postgres.log",
            Array(
                "2026-11-21 10:00:00.200 UTC [7] LOG:  two\n\tand more of it\n2026-11-21 10:00:00.400 UTC [7] ha!\n"
                    .utf8))
        #expect(try files.read().map(\.text) == ["2026-11-21 10:00:00  postgres  2026-11-21 10:00:00.400 UTC [7] ha!"])
        #expect(try LogFiles(folder: folder.path, service: "sync-gateway/farm-0").names == ["sync-gateway-0"])
        #expect(try LogFiles(folder: folder.path, service: "sync-gateway").names == ["sync-gateway-0"])
        #expect(try LogFiles(folder: folder.path, service: "sync").names.isEmpty)
    }

    @Test func `log lines from before a full log was rotated are read, too`() throws {
        let folder = try Folder()
        func line(_ second: Int) -> [UInt8] {
            Array("{\"time\":\"2026-11-21T10:00:0\(second).000Z\",\"message\":\"\(second)\"}\n".utf8)
        }
        try folder.write("sync-gateway-0.log.1", line(1) + line(2))
        try folder.write("sync-gateway-0.log", [])
        var files = LogFiles(folder: folder.path, service: nil)
        #expect(try files.read().map { String($0.time.suffix(5)) } == ["1.000", "2.000"])
        try folder.write("sync-gateway-0.log", line(3))
        #expect(try files.read().map { String($0.time.suffix(5)) } == ["3.000"])
        var anew = LogFiles(folder: folder.path, service: nil)
        #expect(try anew.read().count == 3)
        #expect(try files.read().isEmpty && anew.read().isEmpty)
    }

    @Test func `log lines can be selected by age or by time`() throws {
        let now = Instant("2026-11-21T21:00:00Z") ?? Instant(microseconds: 0)
        #expect(try LogsCommand.moment("30m", now: now).description == "2026-11-21T20:30:00.000000Z")
        #expect(try LogsCommand.moment("1d", now: now).description == "2026-11-20T21:00:00.000000Z")
        #expect(try LogsCommand.moment("2026-11-01", now: now).description == "2026-11-01T00:00:00.000000Z")
        for text in ["", "m", "-1h", "soon", "1e300d", "infd", "nand"] {
            #expect(throws: Refusal.self) { try LogsCommand.moment(text, now: now) }
        }
    }
}

@Suite("Redaction of support bundles")
struct RedactionTests {
    @Test(arguments: [
        "http://127.0.0.1:8080/setup#Zr9kQ", "token: abc", "\"password\":\"correct\"", "ana.ruiz@farm.test",
        "FURROW_DEMO_TOKEN=ab", "Authorization: Bearer", "9f86d081884c7d659a2feaa0c55ad015",
        "dGhpcyBpcyBhIHNlY3JldCBrZXk", "K7KQ2M4XNB5ZC3VJ", "5f0c2a9e-1111-2222-3333-444455556666",
    ])
    func `redaction removes secrets and personal data`(text: String) {
        let redacted = Redaction.redact("before \(text) after")
        let secret = text.split(whereSeparator: { ":=#\" ".contains($0) }).last.map(String.init) ?? text
        #expect(redacted.contains(Redaction.mark) && !redacted.contains(secret), "\(redacted)")
        // A password may be several words, so everything after the name of a secret is removed up to the end of the
        // line.
        #expect(redacted.hasPrefix("before "))
    }

    @Test(arguments: [
        "furrow_process_start_timestamp_seconds{service=\"sync-gateway\"} 1795295235", "ready trace-ledger/farm-0",
        "2026-11-21 10:00:00.200 UTC [7] LOG: database system is ready", "MemAvailable: 23456 kB",
        "/var/lib/furrow/postgres 12.3 MB", "feed:hub: nothing more of it is read",
    ])
    func `redaction preserves technical details`(text: String) {
        #expect(Redaction.redact(text) == text)
    }
}
