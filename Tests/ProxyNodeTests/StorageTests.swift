import HTTP
import SQLite
import System
import TestKit
import Testing
import Vocabulary

@testable import ProxyNode
@testable import Sharing

@Suite("What a node stores")
struct StorageTests {
    private func key(_ target: String) -> CacheKey { CacheKey(farm: "http://f", target: target, isPage: false) }

    private func response(_ text: String, at seconds: Int64 = 1) -> StoredResponse {
        StoredResponse(
            headers: ["Content-Type": "text/plain", "ETag": "\"\(text.prefix(8))\""], body: Array(text.utf8),
            receivedAt: seconds * 1_000_000)
    }

    @Test func `a response is found again after a restart, with its fields`() throws {
        try withTemporaryDirectory { folder in
            let path = folder + "/cache.db"
            do {
                let cache = try ResponseCache(path: path, limit: 1 << 20)
                try cache.store(response("one"), for: key("/a"))
                try cache.store(response(""), for: key("/empty"))
            }
            let cache = try ResponseCache(path: path, limit: 1 << 20)
            let found = try #require(try cache.find(key("/a")))
            #expect(
                found.body == Array("one".utf8) && found.headers["ETag"] == "\"one\"" && found.receivedAt == 1_000_000)
            #expect(try cache.find(key("/empty"))?.body == [])
            #expect(try cache.find(key("/b")) == nil)
            #expect(cache.count == 2)
        }
    }

    @Test func `a body that was changed on the disk is removed when it is read`() throws {
        try withTemporaryDirectory { folder in
            let path = folder + "/cache.db"
            do {
                let cache = try ResponseCache(path: path, limit: 1 << 20)
                try cache.store(response("what the farm said"), for: key("/a"))
            }
            do {
                let database = try Database(path: path, mode: .writer)
                try database.execute("UPDATE response SET body = CAST('what it did not' AS BLOB)")
            }
            let cache = try ResponseCache(path: path, limit: 1 << 20)
            #expect(try cache.find(key("/a")) == nil)
            #expect(cache.count == 0 && cache.bytes == 0)
        }
    }

    @Test func `a damaged file is replaced by an empty one`() throws {
        try withTemporaryDirectory { folder in
            let path = folder + "/cache.db"
            try File.writeAtomically(path, Array(repeating: 0x61, count: 8_192))
            let cache = try ResponseCache(path: path, limit: 1 << 20)
            #expect(cache.count == 0)
            try cache.store(response("one"), for: key("/a"))
            #expect(try cache.find(key("/a")) != nil)
            try cache.startOver()
            #expect(try cache.count == 0 && cache.find(key("/a")) == nil)
        }
    }

    @Test func `the least popular responses make room, and the size stays below the limit`() throws {
        try withTemporaryDirectory { folder in
            let path = folder + "/cache.db"
            let limit = 100 << 10
            let cache = try ResponseCache(path: path, limit: limit)
            for number in 0..<9 {
                try cache.store(response(String(repeating: "x", count: 10 << 10)), for: key("/\(number)"))
                if number == 2 { cache.count(key("/2"), requests: 50) }
            }
            try cache.tidy(at: 2_000_000)
            for number in 9..<30 {
                try cache.store(response(String(repeating: "x", count: 10 << 10)), for: key("/\(number)"))
                #expect(cache.bytes <= limit)
            }
            #expect(cache.evicted > 15 && cache.count == 9)
            #expect(try cache.find(key("/2")) != nil)
            #expect(try cache.index(of: "http://f", limit: 1).first?.key == key("/2"))
        }
    }

    @Test func `the limit also holds for what an earlier run has stored`() throws {
        try withTemporaryDirectory { folder in
            let path = folder + "/cache.db"
            do {
                let cache = try ResponseCache(path: path, limit: 1 << 20)
                for number in 0..<9 {
                    try cache.store(response(String(repeating: "x", count: 10 << 10)), for: key("/\(number)"))
                }
            }
            let cache = try ResponseCache(path: path, limit: 50 << 10)
            #expect(cache.bytes <= 50 << 10 && cache.count == 4)
        }
    }

    @Test func `replacing a response changes the count of bytes by the difference`() throws {
        try withTemporaryDirectory { folder in
            let path = folder + "/cache.db"
            let cache = try ResponseCache(path: path, limit: 1 << 20)
            try cache.store(response("short"), for: key("/a"))
            let before = cache.bytes
            try cache.store(response("short", at: 2), for: key("/a"))
            #expect(cache.bytes == before && cache.count == 1)
            try cache.remove(key("/a"))
            #expect(cache.bytes == 0 && cache.count == 0)
        }
    }

    @Test func `memory holds the responses that were used last, below its limit`() {
        var memory = MemoryCache()
        let big = response(String(repeating: "x", count: 1 << 20))
        for number in 0..<12 {
            memory.keep(big, for: key("/\(number)"))
            let first = memory.find(key("/0"))
            #expect(first?.size != nil)
        }
        let (second, last) = (memory.find(key("/1")), memory.find(key("/11")))
        #expect(second?.size == nil && last?.size != nil)
        memory.keep(response(String(repeating: "x", count: SharingLimits.memoryBytes)), for: key("/huge"))
        let huge = memory.find(key("/huge"))
        #expect(huge?.size == nil)
    }

    // MARK: Deferred requests

    private func deferredRequests(_ path: String) throws(SQLiteError) -> DeferredRequests {
        try DeferredRequests(path: path)
    }

    @Test func `requests wait across restarts, and those of most requesters are fetched first`() throws {
        try withTemporaryDirectory { folder in
            let path = folder + "/deferred.db"
            let now = Instant(microseconds: 1_000_000)
            let ids: [String?]
            do {
                ids = try deferredRequests(path).add([key("/a"), key("/b"), key("/c"), key("/b")], at: now)
            }
            #expect(ids[1] == ids[3] && Set(ids).count == 3)
            let deferred = try deferredRequests(path)
            #expect(deferred.waiting == 3)
            #expect(try deferred.next(of: "http://f", limit: 9).map(\.key.target) == ["/b", "/a", "/c"])
            #expect(try deferred.next(of: "http://other", limit: 9).isEmpty)
        }
    }

    @Test func `a settled request says what became of it, and can be requested again`() throws {
        try withTemporaryDirectory { folder in
            let path = folder + "/deferred.db"
            let deferred = try deferredRequests(path)
            let first = try #require(try deferred.add([key("/a")], at: Instant(microseconds: 1))[0])
            try deferred.settle(key("/a"), as: .refused, status: 404)
            try deferred.settle(key("/never"), as: .fetched, status: 200)
            #expect(deferred.waiting == 0)
            let entry = try #require(try deferred.find(id: first))
            #expect(entry.state == .refused && entry.status == 404 && entry.requesters == 1)
            let second = try #require(try deferred.add([key("/a")], at: Instant(microseconds: 2))[0])
            #expect(second != first && deferred.waiting == 1)
            #expect(try deferred.find(id: first) == nil && deferred.find(id: second)?.state == .waiting)
        }
    }

    @Test func `a clock that is set moves the requests of this run, and gives up none of them`() throws {
        try withTemporaryDirectory { folder in
            let path = folder + "/deferred.db"
            let now: Int64 = 1_800_000_000_000_000
            _ = try deferredRequests(path).add([key("/earlier")], at: Instant(microseconds: now))
            let deferred = try deferredRequests(path)
            // The clock of a box without a battery.
            _ = try deferred.add([key("/now")], at: Instant(microseconds: 5_000_000))
            try deferred.shift(byMicroseconds: now)
            #expect(try deferred.expire(before: Instant(microseconds: now)) == 0)
            let times = try deferred.newest(limit: 9).map(\.firstAt.microseconds)
            #expect(times == [now + 5_000_000, now])
        }
    }

    @Test func `requests are given up after their time, and only those`() throws {
        try withTemporaryDirectory { folder in
            let path = folder + "/deferred.db"
            let deferred = try deferredRequests(path)
            _ = try deferred.add([key("/old")], at: Instant(microseconds: 1_000_000))
            _ = try deferred.add([key("/new")], at: Instant(microseconds: 3_000_000))
            #expect(try deferred.expire(before: Instant(microseconds: 2_000_000)) == 1)
            #expect(deferred.waiting == 1)
            #expect(try deferred.next(of: "http://f", limit: 9).map(\.key.target) == ["/new"])
            #expect(try deferred.newest(limit: 9).map(\.state) == [.waiting, .expired])
        }
    }
}
