import Testing

@testable import Sharing

@Suite("The rank of stored responses")
struct PopularityTests {
    private let day = 86_400.0

    @Test func `a request weighs half as much after a half-life`() {
        let rank = Popularity(at: 0)
        #expect(rank.requests(at: 0) == 1)
        #expect(rank.requests(at: SharingLimits.halfLifeSeconds) == 0.5)
        #expect(rank.requests(at: 10 * SharingLimits.halfLifeSeconds) == 1.0 / 1_024)
    }

    @Test func `requests at one time add up`() {
        var rank = Popularity(at: 1_700_000_000)
        rank.count(7, at: 1_700_000_000)
        #expect(abs(rank.requests(at: 1_700_000_000) - 8) < 0.01)
    }

    @Test func `a response that was popular once is overtaken by one that is popular now`() {
        var once = Popularity(at: 0)
        once.count(99, at: 0)
        var now = Popularity(at: 30 * day)
        now.count(1, at: 30 * day)
        #expect(once < now)
    }

    @Test func `the order of two responses does not change with time alone`() {
        let (early, late) = (Popularity(at: 10 * day), Popularity(at: 11 * day))
        for time in [11 * day, 100 * day, 10_000 * day] {
            #expect(early.requests(at: time) <= late.requests(at: time))
        }
        #expect(early < late)
    }

    @Test func `of two equally popular responses the larger one is removed first`() {
        let rank = Popularity(at: 0)
        #expect(rank.worth(bytes: 2_000_000) < rank.worth(bytes: 20_000))
        #expect(rank.worth(bytes: 0) == rank.worth(bytes: 1_024))
    }

    @Test func `a rank is finite for every clock`() {
        for seconds in [-1e18, 0, 1e18] {
            var rank = Popularity(at: seconds)
            rank.count(1_000_000, at: -seconds)
            #expect(rank.rank.isFinite && rank.requests(at: 0).isFinite)
        }
    }
}
