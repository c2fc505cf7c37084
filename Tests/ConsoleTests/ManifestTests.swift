import EventSourcing
import System
import TestKit
import Testing
import Vocabulary

@testable import Console

@Suite("The manifest of a backup")
struct ManifestTests {
    let folder: Folder
    let manifest: Manifest

    init() throws {
        folder = try Folder()
        var chance = SplitMix64(seed: 7)
        try folder.write("journals/sync-gateway/0.db", chance.bytes(70_000))
        try folder.write("hub/entry.copy", chance.bytes(10))
        var manifest = Manifest(
            name: "furrow-20261121T210715Z", part: .facts, made: Instant(microseconds: 1_795_295_235_000_000))
        let head = Head(feed: "hub", epoch: Epoch(9), position: 12, hash: chance.bytes(32))
        manifest.hub = Manifest.Hub(
            format: 1, origin: "trace-ledger/farm-0", head: head, start: chance.bytes(32),
            checkpoint: "furrow/farm\n12\n")
        let own = Head(feed: "sync-gateway/farm-0", epoch: Epoch(3), position: 5, hash: chance.bytes(32))
        manifest.journals = [Manifest.Journal(head: own, file: "journals/sync-gateway/0.db")]
        for name in ["journals/sync-gateway/0.db", "hub/entry.copy"] {
            manifest.files.append(Manifest.Kept(path: name, sum: try FileSum(of: folder(name))))
        }
        self.manifest = manifest
    }

    @Test func `a manifest is read as it was written`() throws {
        #expect(try Manifest(bytes: manifest.text) == manifest)
        try folder.write(Manifest.fileName, manifest.text)
        #expect(try Manifest(in: folder.path) == manifest)
        #expect(manifest.text.split(separator: 10).count == 6)
    }

    @Test func `a changed byte of a manifest is reported at its offset`() throws {
        let good = manifest.text
        var chance = SplitMix64(seed: 11)
        for place in good.indices {
            var bad = good
            bad[place] ^= UInt8(1 + chance.next() % 255)
            let damage = #expect(throws: Damage.self) { try Manifest(bytes: bad) }
            #expect(
                damage?.offset == place && damage?.file == Manifest.fileName, "\(place): \(String(describing: damage))")
        }
        for count in [0, 10, good.count - 1] {
            #expect(throws: Damage.self) { try Manifest(bytes: Array(good.prefix(count))) }
        }
        #expect(throws: Damage.self) { try Manifest(bytes: good + [10]) }
        #expect(good.count >= 500)
        print("manifest: \(good.count) bytes changed one by one, each found at its place")
    }

    @Test func `a manifest of a newer format or with an unsafe path is rejected`() throws {
        var other = manifest
        other.files = [Manifest.Kept(path: "../../etc/passwd", sum: manifest.files[0].sum)]
        #expect(throws: (any Error).self) { try Manifest(bytes: other.text) }
        for path in ["/etc/passwd", "a//b", "a/./b", ""] {
            other.files = [Manifest.Kept(path: path, sum: manifest.files[0].sum)]
            #expect(throws: (any Error).self, "\(path)") { try Manifest(bytes: other.text) }
        }
        #expect(throws: Refusal.self) { try Manifest(in: folder("nowhere")) }
    }

    @Test func `every backed-up file of a home has a name in the backup and is restored to its path`() throws {
        for name in [
            "sync-gateway/0/journal.db", "sync-gateway/0/views.db", "sync-gateway/0/vault.db", "sync-gateway/0/lock",
            "sensor-ingest/12/journal.db", "trace-ledger/0/vault.db",
            "catalog-orders/0/media/\(String(repeating: "a", count: 64))",
            "postgres/PG_VERSION", "logs/postgres.log", "demo.json", "run.json",
        ] {
            try folder.write("home/\(name)", [1])
        }
        let contents = try HomeContents([folder("home")])
        #expect(contents.journals.map(\.name) == ["journals/sensor-ingest/12.db", "journals/sync-gateway/0.db"])
        #expect(contents.vaults.map(\.name) == ["sync-gateway/0.db", "trace-ledger/0.db"])
        #expect(contents.media.map(\.name) == ["media/catalog-orders/0"])
        #expect(contents.settings.map(\.name) == ["home/demo.json"])
        for item in contents.journals + contents.settings {
            let place = HomeContents.place(of: item.name, part: .facts)
            #expect(place.map { "\(folder("home"))/\($0)" } == item.path)
        }
        for item in contents.vaults {
            let place = HomeContents.place(of: item.name, part: .vault)
            #expect(place.map { "\(folder("home"))/\($0)" } == item.path)
        }
        #expect(HomeContents.place(of: "media/catalog-orders/0/ab", part: .facts) == "catalog-orders/0/media/ab")
        #expect(HomeContents.place(of: "hub/entry.copy", part: .facts) == nil)
        #expect(HomeContents.place(of: "journals/x/y.db", part: .facts) == nil)
    }
}

@Suite("Retention of backups")
struct BackupRetentionTests {
    let now = Instant("2026-11-21T21:00:00Z") ?? Instant(microseconds: 0)

    @Test func `secrets are removed after thirty days regardless of how many backups are retained`() {
        let names = [
            "furrow-20261022T210001Z", "furrow-20261022T210001Z.vault", "furrow-20261022T205959Z",
            "furrow-20261022T205959Z.vault", "furrow-20261121T200000Z", "furrow-20261121T200000Z.vault",
        ]
        #expect(BackupRetention(keep: nil, now: now).expired(among: names) == ["furrow-20261022T205959Z.vault"])
        #expect(
            BackupRetention(keep: 1, now: now).expired(among: names) == [
                "furrow-20261022T205959Z", "furrow-20261022T205959Z.vault", "furrow-20261022T210001Z",
                "furrow-20261022T210001Z.vault",
            ])
        #expect(BackupRetention(keep: 3, now: now).expired(among: names) == ["furrow-20261022T205959Z.vault"])
    }

    @Test func `retention removes nothing but backups from the folder`() {
        let names = [
            "lock", "furrow-", "furrow-20261022T205959Z.partial", "furrow-2020", "notes",
            "furrow-20201022x205959Z.vault",
            "xfurrow-20201022T205959Z",
        ]
        #expect(BackupRetention(keep: 1, now: now).expired(among: names).isEmpty)
        #expect(BackupRetention.made(BackupMaking.name(at: now)) == now)
        #expect(BackupRetention.made(BackupMaking.name(at: now) + "-2") == now)
    }

    @Test func `amounts are formatted for people`() {
        #expect(
            [0, 999, 1000, 1_250_000, 12_345_678_901].map(Amount.bytes) == [
                "0 bytes", "999 bytes", "1.0 kB", "1.3 MB", "12.3 GB",
            ])
        #expect(
            [1, 90, 600, 7200, 172_800].map(Amount.time) == [
                "1 second", "90 seconds", "10 minutes", "2 hours", "2 days",
            ])
    }
}
