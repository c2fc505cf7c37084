import JSON
import Vocabulary

/// The `decode --file` command: one JSON line for each packet of a capture.
///
/// Repetitions are recognised as in the service: of several copies of one packet the first has readings, the others are
/// marked as repetitions.
public struct DecodeFile: Sequence, IteratorProtocol, Sendable {
    private var frames: IndexingIterator<[CapturedFrame]>
    private var decoder: CaptureDecoder
    private var filter = RepeatFilter()

    /// Reads a btsnoop or pcap file. Throws if the file cannot be read.
    ///
    /// - Parameters:
    ///   - key: Decrypts the packets of Bluetooth devices.
    ///   - networkKey: Decrypts the frames of ZigBee networks.
    public init(_ bytes: [UInt8], key: [UInt8]? = nil, networkKey: [UInt8]? = nil) throws(Malformed) {
        frames = try Capture.read(bytes).makeIterator()
        decoder = CaptureDecoder(
            advertisements: AdvertisementDecoder(commonKey: key, commonKeyIsOfSome: true),
            sniffer: ZigBeeSniffer(keys: KeyRing(network: networkKey.map { [$0] } ?? [])))
    }

    /// Returns the next line, without its line feed.
    public mutating func next() -> [UInt8]? {
        guard let frame = frames.next() else { return nil }
        var output = DecodeOutput()
        output.id = .integer(Int64(frame.number))
        var decoded = decoder.decode(frame)
        var repeats = 0
        decoded.reports.removeAll { report in
            let isRepeat = !filter.admits(report, at: frame.time)
            repeats += isRepeat ? 1 : 0
            return isRepeat
        }
        decoded.raws.removeAll { raw in
            let isRepeat = !filter.admits(raw, at: frame.time)
            repeats += isRepeat ? 1 : 0
            return isRepeat
        }
        var members = frame.summary
        if repeats > 0 { members.append(("repeats", .integer(Int64(repeats)))) }
        output.add(frame: members, decoded)
        return output.line
    }
}

extension CapturedFrame {
    fileprivate var summary: [(String, JSONAny)] {
        var members: [(String, JSONAny)] = [
            ("kind", .string("packet")), ("number", .integer(Int64(number))), ("time", .string(time.description)),
            ("medium", .string(medium == .bluetooth ? "bluetooth" : "802.15.4")),
        ]
        guard medium == .bluetooth else { return members }
        do throws(Malformed) {
            let advertisements = try HCIPacket(bytes).advertisements.map { JSONAny.object($0.summary) }
            if !advertisements.isEmpty { members.append(("advertisements", .array(advertisements))) }
        } catch {
            // The decoder meets the same error and reports it.
            return members
        }
        return members
    }
}
