/// The parser of frames in the bytes of a serial line, with any noise between them.
///
/// A frame is accepted if its length is at most 250, its kind exists and its check matches; otherwise the search
/// continues at the next start byte. A false start can delay up to 254 bytes. So a caller that receives nothing for a
/// second in the middle of a frame calls `reset`.
public struct UNPIParser: Sendable {
    private var pending: [UInt8] = []
    /// The number of bytes that belonged to no frame.
    public private(set) var skippedBytes = 0
    /// The number of frames whose check did not match.
    public private(set) var failedChecks = 0
    private var noise: [UInt8] = []
    private var noiseBytes = 0

    public init() {}

    /// Whether a frame has begun and is not complete.
    public var isInsideFrame: Bool { !pending.isEmpty }

    /// Whether there are bytes of no frame that `takeNoise` has not returned yet.
    public var hasNoise: Bool { noiseBytes > 0 }

    /// Returns the first bytes, at most 512, that belonged to no frame since the last call, and their full number.
    public mutating func takeNoise() -> (bytes: [UInt8], count: Int) {
        defer {
            noise = []
            noiseBytes = 0
        }
        return (noise, noiseBytes)
    }

    public mutating func feed(_ bytes: [UInt8]) -> [UNPIFrame] {
        pending += bytes
        var frames: [UNPIFrame] = []
        var start = 0
        search: while start < pending.count {
            switch verdict(at: start) {
            case .frame(let frame, let length):
                frames.append(frame)
                start += length
            case .noise:
                skip(pending[start])
                start += 1
            case .unfinished: break search
            }
        }
        pending.removeFirst(start)
        return frames
    }

    /// Abandons the frame that has begun; returns frames that were found behind its false start.
    public mutating func reset() -> [UNPIFrame] {
        var frames: [UNPIFrame] = []
        while !pending.isEmpty {
            skip(pending.removeFirst())
            frames += feed([])
        }
        return frames
    }

    private mutating func skip(_ byte: UInt8) {
        skippedBytes += 1
        noiseBytes += 1
        if noise.count < RadioLimits.noise { noise.append(byte) }
    }

    private enum Verdict {
        case frame(UNPIFrame, length: Int)
        case noise
        case unfinished
    }

    private mutating func verdict(at start: Int) -> Verdict {
        guard pending[start] == UNPIFrame.start else { return .noise }
        guard start + 1 < pending.count else { return .unfinished }
        let length = Int(pending[start + 1])
        guard length <= RadioLimits.serialData else { return .noise }
        let end = start + length + 5
        guard end <= pending.count else { return .unfinished }
        guard UNPIFrame.check(pending[(start + 1)..<(end - 1)]) == pending[end - 1] else {
            failedChecks += 1
            return .noise
        }
        let first = pending[start + 2]
        guard let kind = UNPIFrame.Kind(rawValue: first >> 5) else { return .noise }
        let data = Array(pending[(start + 4)..<(end - 1)])
        return .frame(UNPIFrame(kind, first, pending[start + 3], data), length: end - start)
    }
}
