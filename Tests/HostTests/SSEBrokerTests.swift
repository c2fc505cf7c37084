import HTTP
import Testing

@testable import HTTP
@testable import Host

@Suite("Streams of server-sent events")
struct SSEBrokerTests {
    private static func place(
        _ holder: String, audience: String = "clients", of most: Int = 200, holder own: Int = 4, replaces: Bool = true
    ) -> StreamPlace {
        StreamPlace(
            audience: audience, audienceMax: most, holder: holder, holderMax: own, replacesOldest: replaces)
    }

    private static func open() -> HTTPStream { HTTPStream(StreamBuffer(first: [])) }

    @Test func `streams of one audience do not use up the limit of another`() {
        var broker = SSEBroker()
        for number in 0..<200 {
            #expect(broker.makePlace(Self.place("\(number)")) == nil)
            broker.add(Self.open(), at: Self.place("\(number)"), topics: ["sync"], at: 0)
        }
        let staff = Self.place("grower", audience: "staff")
        #expect(broker.makePlace(Self.place("one more")) == .audienceFull)
        #expect(broker.makePlace(staff) == nil)
        broker.add(Self.open(), at: staff, topics: ["alarms"], at: 0)
        #expect(broker.counts == ["clients": 200, "staff": 1])
        broker.close("sync")
        #expect(broker.makePlace(Self.place("one more")) == nil)
    }

    @Test func `a person who opens 140 streams has the newest four, and other persons still get streams`() {
        var broker = SSEBroker()
        let streams = (0..<140).map { _ in Self.open() }
        for stream in streams {
            #expect(broker.makePlace(Self.place("person/a")) == nil)
            broker.add(stream, at: Self.place("person/a"), topics: ["sync"], at: 0)
        }
        #expect(streams.map(\.isOpen) == Array(repeating: false, count: 136) + Array(repeating: true, count: 4))
        #expect(broker.counts == ["clients": 4] && broker.replaced == 136)
        for number in 0..<196 {
            #expect(broker.makePlace(Self.place("person/b\(number)")) == nil)
            broker.add(Self.open(), at: Self.place("person/b\(number)"), topics: ["sync"], at: 0)
        }
        #expect(broker.counts == ["clients": 200])
        print("live streams: checked 140 of one person and 196 of others")
    }

    @Test func `without a limit per person one buyer uses up all streams`() {
        // The mutant: only the audience has a limit.
        var broker = SSEBroker()
        let greedy = Self.place("person/a", of: 128, holder: .max)
        for _ in 0..<140 where broker.makePlace(greedy) == nil {
            broker.add(Self.open(), at: greedy, topics: ["sync"], at: 0)
        }
        #expect(broker.makePlace(Self.place("person/b", of: 128)) == .audienceFull)
    }

    @Test func `an address without an account retains its open streams, and the next one is refused`() {
        var broker = SSEBroker()
        let address = Self.place("address/192.0.2.7", holder: 3, replaces: false)
        let streams = (0..<3).map { _ in Self.open() }
        for stream in streams {
            #expect(broker.makePlace(address) == nil)
            broker.add(stream, at: address, topics: ["sync"], at: 0)
        }
        #expect(broker.makePlace(address) == .holderFull)
        #expect(streams.map(\.isOpen) == [true, true, true])
        streams[0].close()
        #expect(broker.makePlace(address) == nil)
    }
}
