import Zstd

/// Compresses and decompresses the payloads of pages (zstd, RFC 8878). Owned by one thread.
///
/// Pages are compressed on encrypted connections: encryption takes longer than compression, and a compressed page has a
/// fifth of the size.
package final class PagePacker {
    private var compressor: Compressor?
    private var decompressor: Decompressor?

    package init() {}

    /// Returns the compressed payload, or nil if there is no memory for it; the page is then sent uncompressed.
    package func pack(_ payload: [UInt8]) -> [UInt8]? {
        do throws(ZstdError) {
            if compressor == nil { compressor = try Compressor(level: BusLimits.packingLevel) }
            return try compressor?.compress(payload)
        } catch { return nil }
    }

    /// Returns the decompressed payload. Throws if its length is not `count`.
    package func unpack(_ payload: [UInt8], count: Int) throws(BusAnomaly) -> [UInt8] {
        guard (0...BusLimits.pagePayloadBytes).contains(count) else { throw .unreadablePayload }
        do throws(ZstdError) {
            if decompressor == nil { decompressor = try Decompressor() }
            if let bytes = try decompressor?.decompress(payload, count: count) { return bytes }
        } catch { throw .unreadablePayload }
        throw .unreadablePayload
    }
}
