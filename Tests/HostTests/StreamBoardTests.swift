import Testing

@testable import HTTP
@testable import Host

@Suite("Live streams")
struct StreamBoardTests {
    @Test func `of one audience take no place of another's`() {
        var board = StreamBoard()
        func open() -> HTTPStream { HTTPStream(StreamBuffer(first: [])) }
        for _ in 0..<HostLimits.streams {
            #expect(board.hasPlace(in: "clients"))
            board.add(open(), of: "clients", topics: ["sync"], at: 0)
        }
        #expect(!board.hasPlace(in: "clients") && board.hasPlace(in: "staff"))
        board.add(open(), of: "staff", topics: ["alarms"], at: 0)
        board.close("sync")
        #expect(board.hasPlace(in: "clients"))
        print("live streams: \(HostLimits.streams) places of one audience taken, the other's free")
    }
}
