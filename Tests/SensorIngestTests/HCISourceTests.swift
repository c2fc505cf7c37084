import EventSourcing
import Events
import Host
import System
import TestKit
import Testing
import Vocabulary

@testable import SensorIngest

@Suite("Live HCI streams")
struct HCISourceTests {
    /// Returns an advertising report of a Ruuvi tag (data format 5, 24.3 °C) with this sequence number.
    private func packet(_ number: UInt8) -> [UInt8] {
        let data =
            Hex.decode("0201061bff99040512fc5394c37c0004fffc040cac364200" + Hex.encode([number]) + "cbb8334c884f") ?? []
        return [4, 0x3E, UInt8(data.count + 12), 2, 1, 3, 1, 0x4F, 0x88, 0x4C, 0x33, 0xB8, 0xCB, UInt8(data.count)]
            + data + [0xC4]
    }

    private func record(_ packet: [UInt8]) -> [UInt8] {
        let length = [0, 0, 0, UInt8(packet.count)]
        // 2020-01-01T00:00:00Z, in microseconds from the year 0.
        let time: [UInt8] = [0x00, 0xE2, 0x78, 0xBB, 0xD1, 0x29, 0xC0, 0x00]
        return length + length + [0, 0, 0, 3, 0, 0, 0, 0] + time + packet
    }

    private static let header: [UInt8] = Array("btsnoop".utf8) + [0, 0, 0, 0, 1, 0, 0, 0x03, 0xEA]

    private func drain(_ source: HCISource) -> [UInt8] {
        _ = source.reopen()
        var bytes: [UInt8] = []
        while source.descriptor != nil { bytes += source.read() }
        return bytes
    }

    @Test func `an HCI stream becomes measurements however it is split, and noise is quarantined`() throws {
        let bench = try Bench(source: "hci:/run/hci")
        let bytes = packet(1) + [0x99, 0x98] + packet(2) + packet(2)
        for byte in bytes { try bench.take(.received(source: "hci:/run/hci", bytes: [byte])) }
        #expect(try bench.measured().map(\.counter) == [1, 2])
        #expect(try bench.measured().allSatisfy { $0.source == "hci:/run/hci" && $0.rssi == -60 })
        try bench.wait(seconds: 2)
        #expect(try bench.quarantined().map(\.bytes) == ["9998"])
        #expect(try bench.quarantined().map(\.reason) == ["bytes that belong to no packet (byte 0)"])
    }

    @Test func `packets of a btsnoop stream are dated by their recorder`() throws {
        let bench = try Bench(source: "hci:/run/hci")
        try bench.take(.received(source: "hci:/run/hci", bytes: Self.header + record(packet(1))))
        let recorded = try #require(Instant("2020-01-01T00:00:00Z"))
        #expect(try bench.journal().map(\.envelope.time) == [recorded])
    }

    @Test func `after its writer died, a stream resumes with the next record and quarantines the half one`() throws {
        let name = "hci:/run/hci"
        let bench = try Bench(source: name)
        let half = Array(record(packet(2)).prefix(40))
        try bench.take(.received(source: name, bytes: Self.header + record(packet(1)) + half))
        // A slow writer is waited for.
        try bench.wait(seconds: 3)
        #expect(try bench.quarantined().isEmpty)
        try bench.take(.opened(source: name))
        try bench.take(.received(source: name, bytes: Self.header + record(packet(3))))
        #expect(try bench.measured().map(\.counter) == [1, 3])
        #expect(try bench.quarantined().map(\.bytes) == [Hex.encode(half)])
    }

    @Test func `reopening a source returns whether its bytes start again`() throws {
        try withTemporaryDirectory { folder in
            let path = "\(folder)/growing"
            let source = HCISource(name: "hci:\(path)", path: path, locksIn: folder)
            #expect(!source.reopen())
            try File.writeAtomically(path, packet(1))
            #expect(source.reopen())
            _ = source.read()
            try Growing(path).write(packet(2))
            #expect(!source.reopen())
            try File.writeAtomically(path, packet(3))
            #expect(source.reopen())
        }
    }

    @Test func `a source reads of a file only what is appended from now on`() throws {
        try withTemporaryDirectory { folder in
            let path = "\(folder)/growing"
            try File.writeAtomically(path, packet(1))
            let source = HCISource(name: "hci:\(path)", path: path, locksIn: folder)
            #expect(source.descriptor == nil)
            let pipe = try Growing(path)
            try pipe.write(packet(2))
            #expect(drain(source) == packet(2))
            #expect(drain(source).isEmpty)
            // The file was replaced, so all of it is new.
            try File.writeAtomically(path, packet(3))
            #expect(drain(source) == packet(3))
        }
    }

    @Test func `a source skips whole records of a btsnoop file, and returns its header`() throws {
        try withTemporaryDirectory { folder in
            let path = "\(folder)/growing"
            let half = Array(record(packet(2)).prefix(20))
            try File.writeAtomically(path, Self.header + record(packet(1)) + half)
            let source = HCISource(name: "hci:\(path)", path: path, locksIn: folder)
            let pipe = try Growing(path)
            try pipe.write(Array(record(packet(2)).dropFirst(20)))
            #expect(drain(source) == Self.header + record(packet(2)))
        }
    }

    @Test func `a source has one owner, and the next one after that owner is gone`() throws {
        try withTemporaryDirectory { folder in
            let path = "\(folder)/growing"
            try File.writeAtomically(path, [])
            var first: HCISource? = HCISource(name: "hci:\(path)", path: path, locksIn: folder)
            let second = HCISource(name: "hci:\(path)", path: path, locksIn: folder)
            let pipe = try Growing(path)
            try pipe.write(packet(1))
            #expect(drain(second).isEmpty)
            #expect(first.map(drain) == packet(1))
            first = nil
            #expect(second.reopen())
            try pipe.write(packet(2))
            #expect(drain(second) == packet(2))
        }
    }
}

/// A file that a test appends to.
private struct Growing {
    private let path: String

    init(_ path: String) throws {
        self.path = path
    }

    func write(_ bytes: [UInt8]) throws {
        try File.writeAtomically("\(path).more", bytes)
        let child = try Process(
            Process.Command(
                "/bin/sh", ["-c", "cat '\(path).more' >> '\(path)'"], environment: ["PATH": "/usr/bin:/bin"]))
        #expect(try child.wait(milliseconds: 20_000) == .exited(0))
    }
}
