import CZstd

/// Compresses bytes into frames (RFC 8878), each of which can be decompressed alone; used by one thread.
///
/// ```
/// var compressor = try Compressor(level: 3)
/// let frame = try compressor.compress(bytes)
/// ```
@safe public struct Compressor: ~Copyable {
    private let context: OpaquePointer
    private let level: Int32

    /// Creates a compressor.
    ///
    /// - Parameter level: one of `ZstdLimits.levels`.
    public init(level: Int) throws(ZstdError) {
        guard ZstdLimits.levels.contains(level) else {
            throw ZstdError(operation: "compress", reason: "there is no level \(level)")
        }
        guard let context = unsafe ZSTD_createCCtx() else {
            throw ZstdError(operation: "compress", reason: "not enough memory")
        }
        unsafe self.context = context
        self.level = Int32(level)
    }

    deinit {
        unsafe ZSTD_freeCCtx(context)
    }

    /// Returns one frame; deterministic for one version of the library.
    public mutating func compress(_ bytes: [UInt8]) throws(ZstdError) -> [UInt8] {
        guard bytes.count <= ZstdLimits.frameBytes else {
            throw ZstdError(operation: "compress", reason: "\(bytes.count) bytes are too many for a frame")
        }
        var result = 0
        let frame = unsafe [UInt8](unsafeUninitializedCapacity: ZSTD_compressBound(bytes.count)) { room, count in
            result = unsafe ZSTD_compressCCtx(
                context, room.baseAddress, room.count, bytes, bytes.count, level)
            count = ZSTD_isError(result) == 0 ? result : 0
        }
        _ = try ZstdError.checked(result, "compress")
        return frame
    }
}
