import Zstd

/// Packs the payloads of pages and unpacks them (zstd, RFC 8878); owned by one thread.
///
/// Pages travel packed where they are encrypted: encrypting takes longer than packing, and a packed page is a fifth.
package final class PagePacker {
    private var compressor: Compressor?
    private var decompressor: Decompressor?

    package init() {}

    /// Nil where there is no memory for it: what is not packed travels as it is.
    package func pack(_ payload: [UInt8]) -> [UInt8]? {
        do throws(ZstdError) {
            if compressor == nil { compressor = try Compressor(level: BusLimits.packingLevel) }
            return try compressor?.compress(payload)
        } catch { return nil }
    }

    /// What was packed; `count` is how long it has to be.
    package func unpack(_ payload: [UInt8], count: Int) throws(BusAnomaly) -> [UInt8] {
        guard (0...BusLimits.pagePayloadBytes).contains(count) else { throw .unreadablePayload }
        do throws(ZstdError) {
            if decompressor == nil { decompressor = try Decompressor() }
            if let bytes = try decompressor?.decompress(payload, count: count) { return bytes }
        } catch { throw .unreadablePayload }
        throw .unreadablePayload
    }
}
