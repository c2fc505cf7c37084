import CZstd

/// Decompresses frames; used by one thread.
@safe public struct Decompressor: ~Copyable {
    private let context: OpaquePointer

    /// Creates a decompressor; throws without memory.
    public init() throws(ZstdError) {
        guard let context = unsafe ZSTD_createDCtx() else {
            throw ZstdError(operation: "decompress", reason: "not enough memory")
        }
        unsafe self.context = context
    }

    deinit {
        unsafe ZSTD_freeDCtx(context)
    }

    /// Returns the contents of exactly one frame; throws unless they have `count` bytes and nothing follows the frame.
    public mutating func decompress(_ frame: [UInt8], count: Int) throws(ZstdError) -> [UInt8] {
        guard (0...ZstdLimits.frameBytes).contains(count) else {
            throw ZstdError(operation: "decompress", reason: "\(count) bytes are too many for a frame")
        }
        let length = try ZstdError.checked(
            unsafe ZSTD_findFrameCompressedSize(frame, frame.count), "decompress")
        guard length == frame.count else {
            throw ZstdError(operation: "decompress", reason: "\(frame.count - length) bytes follow the frame")
        }
        var result = 0
        let bytes = unsafe [UInt8](unsafeUninitializedCapacity: count) { room, filled in
            result = unsafe ZSTD_decompressDCtx(context, room.baseAddress, room.count, frame, frame.count)
            filled = ZSTD_isError(result) == 0 ? result : 0
        }
        guard try ZstdError.checked(result, "decompress") == count else {
            throw ZstdError(operation: "decompress", reason: "the frame holds \(result) bytes and not \(count)")
        }
        return bytes
    }
}
