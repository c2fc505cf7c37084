@testable import EventBus

/// What reads bytes that come from outside. Nothing may stop it, and what it reads is written back the same.
enum Target: String, CaseIterable {
    case events, json, frames, segments, serial, bluetooth, captures, lines, requests, pictures
    /// The careless twin of a reader: it proves that made-up bytes find what a forgotten bound does.
    case careless

    func read(_ bytes: [UInt8]) {
        switch self {
        case .events: EventReading.read(bytes)
        case .json: JSONReading.read(bytes)
        case .frames: FrameReading.read(bytes, page: PagePayload.read)
        case .careless: FrameReading.read(bytes, page: MutantPage.read)
        case .segments: SegmentReading.read(bytes)
        case .serial: SerialReading.read(bytes)
        case .bluetooth: BluetoothReading.read(bytes)
        case .captures: CaptureReading.read(bytes)
        case .lines: LineReading.read(bytes)
        case .requests: RequestReading.read(bytes)
        case .pictures: PictureReading.read(bytes)
        }
    }

    /// Sound bytes, and bytes that are wrong in a part each; for the careless twin sound ones alone.
    func seeds() throws -> [[UInt8]] {
        switch self {
        case .events: try EventReading.seeds()
        case .json: try JSONReading.seeds()
        case .frames: FrameReading.seeds() + FrameReading.wrongSeeds()
        case .careless: FrameReading.seeds()
        case .segments: try SegmentReading.seeds()
        case .serial: try SerialReading.seeds()
        case .bluetooth: try BluetoothReading.seeds()
        case .captures: CaptureReading.seeds()
        case .lines: try LineReading.seeds()
        case .requests: RequestReading.seeds()
        case .pictures: PictureReading.seeds()
        }
    }
}
