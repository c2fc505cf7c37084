import CZlib

/// Compresses bytes into the gzip format (RFC 1952).
public enum Gzip {
    /// 1 is fast, 9 is small.
    public static let levels = 1...9

    /// Returns one member with all bytes; deterministic for one version of the library. Nil if there is not enough
    /// memory.
    ///
    /// - Parameter level: one of ``levels``.
    public static func compress(_ bytes: [UInt8], level: Int) -> [UInt8]? {
        precondition(levels.contains(level))
        var stream = unsafe z_stream()
        guard unsafe czlib_start_gzip(&stream, Int32(level)) == Z_OK else { return nil }
        defer { unsafe deflateEnd(&stream) }
        let bound = unsafe Int(deflateBound(&stream, UInt(bytes.count)))
        var isWhole = false
        let member = unsafe [UInt8](unsafeUninitializedCapacity: bound) { room, count in
            unsafe bytes.withUnsafeBufferPointer { bytes in
                unsafe stream.next_in = UnsafeMutablePointer(mutating: bytes.baseAddress)
                unsafe stream.avail_in = UInt32(bytes.count)
                unsafe stream.next_out = room.baseAddress
                unsafe stream.avail_out = UInt32(bound)
                isWhole = unsafe deflate(&stream, Z_FINISH) == Z_STREAM_END
                count = unsafe Int(stream.total_out)
            }
        }
        return isWhole ? member : nil
    }
}
