import HTTP
import JSON
import SQLite
import System
import TestKit
import Testing

@testable import FarmClient

@Suite("Synchronisation")
struct SyncTests {
    private static let farms = #""farms":{"created":[{"id":"f1","title":"Sonnhof"}]}"#
    private static let chard = #"{"id":"p1","title":"Chard","farm":"f1","unit":"bunch"}"#
    private static let leek = #"{"id":"p1","title":"Leek","farm":"f1","unit":"bunch"}"#
    private static let offer = #"{"id":"o1","product":"p1","lot":"L1","price":{"minor":1}}"#

    @Test func `the first pull gets all records, and later ones continue at the stored position`() async throws {
        try await withClient { farm, client, _ in
            farm.tells("{\(Self.farms),\"products\":{\"created\":[\(Self.chard)]}}", at: 7, all: true)
            let synced = try await client.sync()
            #expect(synced.changed == 2 && synced.news == 0)
            #expect(try client.records(.products).first?.text("title") == "Chard")
            #expect(try client.payments() == ["at-pickup"])
            farm.tells("{}", at: 7)
            #expect(try await client.sync() == Synced())
            let asked = farm.requests.filter { $0.method == "GET" }
            #expect(asked.count == 2 && asked[0].query.isEmpty)
            #expect(
                asked[1].query.map { "\($0.name)=\($0.value)" } == ["last_pulled_at=7", "epoch=e1", "scope=public"])
        }
    }

    @Test func `updates wait until they are applied, except those that affect buying`() async throws {
        try await withClient { farm, client, _ in
            farm.tells("{\"products\":{\"created\":[\(Self.chard)]}}", at: 1, all: true)
            try await client.sync()
            farm.tells(
                """
                {"products":{"updated":[\(Self.leek)]},"offers":{"created":[\(Self.offer)]},\
                "lots":{"created":[{"id":"L1"}]},"pickups":{"created":[{"id":"barn","title":"Barn"}]}}
                """, at: 2)
            let synced = try await client.sync()
            #expect(synced.news == 1 && synced.changed == 4)
            #expect(try client.record(.products, "p1")?.text("title") == "Chard")
            let taken = try [FarmTable.offers, .lots, .pickups].map { try client.records($0).count }
            #expect(taken == [1, 1, 1])
            // Another price waits, a withdrawn offer does not.
            farm.tells("{\"offers\":{\"updated\":[\(Self.offer.replacing("1}", with: "2}"))]}}", at: 3)
            #expect(try await client.sync().news == 2)
            farm.tells("{\"offers\":{\"deleted\":[\"o1\"]}}", at: 4)
            #expect(try await client.sync().news == 1)
            #expect(try client.records(.offers).isEmpty)
            // An update back to the stored record cancels the waiting one.
            farm.tells("{\"products\":{\"updated\":[\(Self.chard)]}}", at: 5)
            #expect(try await client.sync().news == 0)
            farm.tells("{\"products\":{\"updated\":[\(Self.leek)]}}", at: 6)
            try await client.sync()
            #expect(try await client.applyNews().changed == 1)
            #expect(try client.record(.products, "p1")?.text("title") == "Leek")
        }
    }

    @Test func `records that cannot be shown are skipped and counted`() async throws {
        try await withClient { farm, client, _ in
            let bad = [
                #"{"id":"p2","title":"No farm","unit":"kg"}"#, #"{"id":"p3","title":null,"farm":"f1","unit":"kg"}"#,
                #"{"title":"No name"}"#, #"{"id":7}"#, "[]",
            ]
            farm.tells(
                "{\"products\":{\"created\":[\(([Self.chard] + bad).joined(separator: ","))]}}", at: 1, all: true)
            let synced = try await client.sync()
            #expect(synced.failed == bad.count && synced.changed == 1)
            #expect(try client.records(.products).map(\.id) == ["p1"])
        }
    }

    @Test func `a new epoch of the log replaces all records`() async throws {
        try await withClient { farm, client, _ in
            farm.tells("{\"products\":{\"created\":[\(Self.chard)]}}", at: 9, all: true)
            try await client.sync()
            farm.tells("{\"products\":{\"updated\":[\(Self.leek)]}}", at: 10)
            try await client.sync()
            farm.tells("{\(Self.farms)}", at: 3, epoch: "e2", all: true)
            let synced = try await client.sync()
            #expect(synced.news == 0 && synced.changed == 1)
            #expect(try client.records(.products).isEmpty && client.records(.farms).count == 1)
        }
    }

    @Test func `an interrupted pull keeps complete pages and continues after the last one`() async throws {
        try await withClient { farm, client, _ in
            farm.set { state in
                state.answers = { request in
                    guard request.path == "/v1/sync" else { return nil }
                    let since = request.query.first.flatMap { Int($0.value) } ?? 0
                    if since == 2 && request.headers["Accept"] != nil { return HTTPResponse(status: 502) }
                    let row = #"{"id":"f\#(since)","title":"F"}"#
                    return .json(
                        #"{"changes":{"farms":{"created":[\#(row)]}},"timestamp":\#(since + 1),"epoch":"e","scope":"s","replace":false,"more":true,"payments":[],"me":null}"#
                    )
                }
            }
            #expect(await code { try await client.sync() } == "unreachable")
            // The first page replaced everything; the second is an update that waits.
            #expect(try client.records(.farms).map(\.id) == ["f0"] && client.newsCount() == 1)
            farm.set { $0.answers = nil }
            farm.tells("{}", at: 3, epoch: "e", scope: "s")
            try await client.sync()
            #expect(farm.requests.last?.query.first?.value == "2")
        }
    }

    @Test func `the log-in page of a captive network is an error and changes nothing`() async throws {
        try await withClient { farm, client, _ in
            farm.set { $0.person = "ann" }
            farm.tells("{\(Self.farms)}", at: 1, all: true, me: SmallFarm.me("ann"))
            try await client.signIn(email: "ann@buyers.test", password: "battery staple")
            try await client.sync()
            try client.order([OrderItem(offer: "o1", quantity: 1)], pickup: "barn")
            let pages = [
                HTTPResponse(status: 200, type: "text/html", body: Array("<html>Log in</html>".utf8)),
                .json("{}"), .json("[]"), .json(#"{"timestamp":"x"}"#), .json("{}", 503),
                HTTPResponse(status: 302, type: "text/html", body: Array("<html>Moved</html>".utf8)),
            ]
            for page in pages {
                farm.set { state in state.answers = { _ in page } }
                let said = await code { try await client.sync() }
                #expect(["unreachable", "refused"].contains(said), "\(page.status): \(said)")
            }
            #expect(try client.records(.farms).count == 1 && client.pendingChanges().count == 1)
        }
    }

    @Test func `concurrent synchronisations share one further run`() async throws {
        try await withClient { farm, client, _ in
            let others = 20
            let called = Count()
            farm.set { state in state.holds = { $0.method == "GET" } }
            async let first = client.sync()
            // The first run has started when its first request arrives.
            while farm.requests.isEmpty { await Task.yield() }
            await withTaskGroup(of: Void.self) { group in
                for _ in 0..<others {
                    group.addTask {
                        called.up()
                        _ = await code { try await client.sync() }
                    }
                }
                while called.value < others { await Task.yield() }
                farm.release()
            }
            _ = try await first
            let asked = farm.requests.count
            print("\(others + 1) calls, \(asked) runs")
            // A task that has announced its call but not made it may get a run of its own.
            #expect((2...3).contains(asked))
            let before = farm.requests.count
            try await client.sync()
            #expect(farm.requests.count == before + 1)
        }
    }

    @Test func `several changes give one notification`() async throws {
        try await withClient { farm, client, _ in
            var changes = client.changes().makeAsyncIterator()
            for _ in 0..<5 { try client.like(.products, "p1") }
            await changes.next()
            farm.tells("{\(Self.farms)}", at: 1, all: true)
            try await client.sync()
            await changes.next()
            #expect(try client.records(.farms).count == 1 && client.pendingChanges().count == 1)
        }
    }

    @Test func `automatic synchronisation continues after failures until it is cancelled`() async throws {
        try await withClient { farm, client, _ in
            let refusals = Count()
            farm.set { state in
                state.answers = { request in
                    guard request.path == "/v1/sync" else { return nil }
                    refusals.up()
                    return refusals.value <= 2 ? HTTPResponse(status: 502) : nil
                }
            }
            farm.tells("{\(Self.farms)}", at: 1, all: true)
            let (results, told) = AsyncStream<Bool>.makeStream()
            let keeping = Task {
                await client.keepInStep { result in
                    let isDone = if case .success = result { true } else { false }
                    told.yield(isDone)
                }
            }
            var seen: [Bool] = []
            for await isDone in results {
                seen.append(isDone)
                if seen.count == 3 { try client.like(.farms, "f1") }
                if seen.count == 4 { break }
            }
            print("\(seen.count) turns: \(seen)")
            // A pending change is sent without waiting for the interval.
            #expect(seen == [false, false, true, true])
            #expect(try client.records(.farms).count == 1)
            keeping.cancel()
            await keeping.value
        }
    }

    @Test func `the WAL beside the file does not grow without limit`() async throws {
        try await withClient { _, client, folder in
            let picture = [UInt8](repeating: 7, count: 200_000)
            var most = 0
            for number in 0..<100 {
                try client.kept { keep throws(SQLiteError) in try keep.put(picture: "\(number)", picture) }
                most = max(most, try File.size("\(folder)/farm.db-wal"))
            }
            print("20 MB written, a log of \(most) bytes at most")
            #expect(most > picture.count && most < 8_000_000)
        }
    }

    @Test func `one process at a time can open a folder, and the next one finds its data`() async throws {
        try await withTemporaryDirectory { folder in
            let farm = try SmallFarm()
            defer { farm.close() }
            func use() async throws {
                let client = try FarmClient(server: farm.url, folder: folder)
                try client.order([OrderItem(offer: "o1", quantity: 1)], pickup: "barn")
                #expect(await code { _ = try FarmClient(server: farm.url, folder: folder) } == "in-use")
            }
            try await use()
            #expect(try FarmClient(server: farm.url, folder: folder).pendingChanges().count == 1)
        }
    }

    @Test func `a file of a newer build is refused`() async throws {
        try await withTemporaryDirectory { folder in
            try Database(path: "\(folder)/farm.db", mode: .writer).execute("PRAGMA user_version = 3")
            #expect(await code { _ = try FarmClient(server: "http://127.0.0.1:1", folder: folder) } == "store")
            #expect(await code { _ = try FarmClient(server: "farm.example", folder: folder) } == "misuse")
        }
    }
}
