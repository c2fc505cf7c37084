import Testing
import Vocabulary

@testable import Radio

@Suite("Interviews of ZigBee devices")
struct InterviewTests {
    private let start = Instant(microseconds: 1_000_000_000_000)
    private let coordinator: UInt64 = 0x0012_4B00_0F00_0000

    private func interview() -> Interview {
        Interview(of: 0x0015_8D00_0100_0001, short: 0x3001, coordinator: coordinator)
    }

    private func order(_ interview: inout Interview, at now: Instant) throws -> FrameworkMessage.OutgoingMessage {
        let order = interview.due(at: now)
        return try #require(order)
    }

    private func take(_ answer: (inout Interview) -> Bool, _ interview: inout Interview) {
        let isTaken = answer(&interview)
        #expect(isTaken)
    }

    private func refuse(_ answer: (inout Interview) -> Bool, _ interview: inout Interview) {
        let isTaken = answer(&interview)
        #expect(!isTaken)
    }

    /// Answers until nothing is requested; returns the clusters of the requests, of the device object negative.
    private func run(_ interview: inout Interview, inputs: [UInt16], refusing: UInt16? = nil) throws -> [Int] {
        var asked: [Int] = []
        while let order = interview.due(at: start) {
            asked.append(order.destinationEndpoint == 0 ? -Int(order.cluster) : Int(order.cluster))
            let transaction = order.transaction
            switch order.cluster {
            case 0x0002 where order.destinationEndpoint == 0:
                take(
                    { $0.receive(.nodeDescriptor(isRouter: true, manufacturer: 7), transaction: transaction) },
                    &interview)
            case 0x0005 where order.destinationEndpoint == 0:
                take({ $0.receive(.activeEndpoints([1, 242]), transaction: transaction) }, &interview)
            case 0x0004 where order.destinationEndpoint == 0:
                let answer = DeviceResponse.simpleDescriptor(endpoint: 1, profile: 0x0104, inputs: inputs)
                take({ $0.receive(answer, transaction: transaction) }, &interview)
            case 0x0021 where order.destinationEndpoint == 0:
                take({ $0.receive(.bound, transaction: transaction) }, &interview)
            default:
                let request = try ZCLFrame(order.data)
                let status: UInt8 = order.cluster == refusing ? 0x8C : 0
                let answer = ZCLFrame(transaction: transaction, command: request.command + 1, payload: [status])
                take({ $0.receive(answer, cluster: order.cluster, endpoint: 1) }, &interview)
            }
            try #require(asked.count < 30)
        }
        return asked
    }

    @Test func `a device is described, named, bound and set up, cluster by cluster`() throws {
        var interview = interview()
        let asked = try run(&interview, inputs: [0, 1, 0x0402, 0x0006], refusing: 1)
        #expect(asked == [-2, -5, -4, 0, -0x21, 1, -0x21, 0x0402])
        let found = try #require(interview.result)
        #expect(found.isRouter && found.manufacturer == 7)
        #expect(found.reporting == ["temperature"] && found.unfulfilled == ["battery: refused"])
    }

    @Test func `a request is sent three times, then the interview rests until the device sends something`() throws {
        var interview = interview()
        var sent = 0
        for second in 0..<60 where interview.due(at: start.advanced(bySeconds: Double(second))) != nil { sent += 1 }
        #expect(sent == 3 && interview.result == nil)
        interview.wake(short: 0x4002)
        let order = try order(&interview, at: start.advanced(bySeconds: 61))
        #expect(order.destination == 0x4002)
        _ = try run(&interview, inputs: [0x0405])
        #expect(interview.result?.reporting == ["humidity"])
    }

    @Test func `a response to another request is not taken`() throws {
        var interview = interview()
        let order = try order(&interview, at: start)
        refuse(
            { $0.receive(.nodeDescriptor(isRouter: true, manufacturer: 7), transaction: order.transaction &+ 1) },
            &interview)
        refuse({ $0.receive(.bound, transaction: order.transaction) }, &interview)
        let next = interview.due(at: start)
        #expect(next == nil)
    }

    @Test func `a device that never responds to one request is set up without it`() throws {
        var interview = interview()
        for answer in [
            .nodeDescriptor(isRouter: false, manufacturer: 0), .activeEndpoints([1]),
            .simpleDescriptor(endpoint: 1, profile: 0x0104, inputs: [0x0402]),
        ] as [DeviceResponse] {
            let order = try order(&interview, at: start)
            take({ $0.receive(answer, transaction: order.transaction) }, &interview)
        }
        var now = start
        for _ in 0..<200 where interview.result == nil {
            _ = interview.due(at: now)
            now = now.advanced(bySeconds: 6)
            interview.wake(short: 0x3001)
        }
        #expect(interview.result?.unfulfilled == ["temperature: no response"])
    }

    @Test func `clusters of a maker's own profile are not set up`() throws {
        var interview = interview()
        for answer in [
            .nodeDescriptor(isRouter: false, manufacturer: 0), .activeEndpoints([1]),
            .simpleDescriptor(endpoint: 1, profile: 0xF0A0, inputs: [0x0402]),
        ] as [DeviceResponse] {
            let order = try order(&interview, at: start)
            take({ $0.receive(answer, transaction: order.transaction) }, &interview)
        }
        #expect(interview.result?.reporting == [])
    }

    @Test func `a network record is read from processors of 8 and of 32 bits`() throws {
        for (length, channel, pan, extended, key) in [(110, 22, 33, 53, 61), (116, 24, 36, 57, 65)] {
            var bytes = [UInt8](repeating: 0, count: length)
            (bytes[channel], bytes[pan], bytes[pan + 1], bytes[extended], bytes[key]) = (20, 0x62, 0x1A, 9, 1)
            let record = try NetworkRecord(bytes)
            #expect(record == NetworkRecord(panID: 0x1A62, extendedPANID: 9, channel: 20, hasKey: true))
            #expect(record.isFormed)
            #expect(try NetworkRecord(record.bytes) == record)
        }
        #expect(throws: Malformed.self) { try NetworkRecord([UInt8](repeating: 0, count: 100)) }
    }
}
