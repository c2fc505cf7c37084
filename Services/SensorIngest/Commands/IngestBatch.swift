import JSON
import Radio
import Vocabulary
import Wire

/// A batch of received messages, as the gateway forwards it.
struct IngestBatch {
    private enum Messages {
        /// Raw advertisements, and values of characteristics, from a gateway or a phone.
        case adverts([Advert])
        /// Reports that another program has decoded.
        case reports([SentReport])
        /// The packets of a btsnoop or pcap file.
        case frames([CapturedFrame])
    }

    let source: String
    private let messages: Messages

    /// Reads the body of `ingest-adverts`. Throws a `Problem` if it cannot be read, or has too many adverts.
    init(adverts body: RequestBody) throws(Problem) {
        source = try body.optionalText("source") ?? "http"
        let adverts: [Advert] = try body.get("adverts")
        try Self.check(adverts.count, "adverts", in: "batch", most: SensorLimits.adverts)
        messages = .adverts(adverts)
    }

    /// Reads the body of `ingest-values`. Throws a `Problem` if it cannot be read, or has too many reports.
    init(reports body: RequestBody) throws(Problem) {
        source = try body.optionalText("source") ?? "http"
        let reports: [SentReport] = try body.get("reports")
        try Self.check(reports.count, "reports", in: "batch", most: SensorLimits.adverts)
        messages = .reports(reports)
    }

    /// Reads the body of `ingest-capture`. Throws a `Problem` if the file cannot be read, or has too many packets.
    init(capture body: RequestBody) throws(Problem) {
        source = "capture"
        messages = .frames(try Self.frames(body))
    }

    /// Decodes the messages in their order, each with the time at which it was received, if it is known.
    func decode(with pairing: Pairing, _ body: (DecodedInput, QuarantinedBytes, Instant?) -> Void) {
        let decoder = AdvertisementDecoder(keys: pairing.keys, commonKey: nil)
        switch messages {
        case .adverts(let adverts):
            for advert in adverts {
                body(advert.decoded(by: decoder), QuarantinedBytes(advert.advertisement.data), advert.at)
            }
        case .reports(let reports):
            for report in reports { body(report.decoded, QuarantinedBytes([]), report.at) }
        case .frames(let frames):
            let sniffer = ZigBeeSniffer(keys: KeyRing(network: pairing.networkKeys))
            var decoder = CaptureDecoder(advertisements: decoder, sniffer: sniffer)
            for frame in frames { body(decoder.decode(frame), QuarantinedBytes(frame.bytes), frame.time) }
        }
    }

    private static func frames(_ body: RequestBody) throws(Problem) -> [CapturedFrame] {
        guard let bytes = BaseEncoding.base64.decode(try body.get("capture")) else {
            throw Problem(400, "malformed", "capture: expected base 64.")
        }
        let frames: [CapturedFrame]
        do {
            frames = try Capture.read(bytes)
        } catch {
            throw Problem(422, "unreadable-capture", "This is no btsnoop or pcap file: \(error).")
        }
        try check(frames.count, "packets", in: "file", most: SensorLimits.capturedFrames)
        return frames
    }

    private static func check(_ count: Int, _ what: String, in whole: String, most: Int) throws(Problem) {
        guard count <= most else {
            throw Problem(413, "too-many", "Send \(most) \(what) at most in one \(whole).")
        }
    }
}
