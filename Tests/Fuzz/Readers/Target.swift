@testable import EventBus

/// A fuzz target: a parser of external input. It must never crash, and what it reads must be written without a change.
enum Target: String, CaseIterable {
    case events, json, frames, segments, serial, bluetooth, central, captures, lines, requests, pictures, nodes
    /// A mutant without a bounds check, which fuzzing must crash.
    case mutant

    func read(_ bytes: [UInt8]) {
        switch self {
        case .events: EventReading.read(bytes)
        case .json: JSONReading.read(bytes)
        case .frames: FrameReading.read(bytes, page: PagePayload.read)
        case .mutant: FrameReading.read(bytes, page: MutantPage.read)
        case .segments: SegmentReading.read(bytes)
        case .serial: SerialReading.read(bytes)
        case .bluetooth: BluetoothReading.read(bytes)
        case .central: CentralReading.read(bytes)
        case .captures: CaptureReading.read(bytes)
        case .lines: LineReading.read(bytes)
        case .requests: RequestReading.read(bytes)
        case .pictures: PictureReading.read(bytes)
        case .nodes: NodeReading.read(bytes)
        }
    }

    /// Returns valid inputs, and inputs with an error in each part; for the mutant valid ones only.
    func seeds() throws -> [[UInt8]] {
        switch self {
        case .events: try EventReading.seeds()
        case .json: try JSONReading.seeds()
        case .frames: FrameReading.seeds() + FrameReading.wrongSeeds()
        case .mutant: FrameReading.seeds()
        case .segments: try SegmentReading.seeds()
        case .serial: try SerialReading.seeds()
        case .bluetooth: try BluetoothReading.seeds()
        case .central: CentralReading.seeds()
        case .captures: CaptureReading.seeds()
        case .lines: try LineReading.seeds()
        case .requests: RequestReading.seeds()
        case .pictures: PictureReading.seeds()
        case .nodes: NodeReading.seeds()
        }
    }
}
