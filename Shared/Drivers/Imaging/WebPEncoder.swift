import CWebP

/// Encodes pictures as WebP (RFC 9649).
public enum WebPEncoder {
    /// Returns the bitmap as WebP, scaled down so that its longer side is at most `side` pixels.
    ///
    /// - Parameter quality: 0 to 100; 75 is usual for photographs.
    public static func encode(_ bitmap: Bitmap, side: Int, quality: Double) throws(ImagingError) -> [UInt8] {
        guard max(bitmap.width, bitmap.height) <= ImagingLimits.side else {
            throw .tooManyPixels(bitmap.width * bitmap.height)
        }
        var configuration = WebPConfig()
        var picture = unsafe WebPPicture()
        guard unsafe WebPConfigPreset(&configuration, WEBP_PRESET_PHOTO, Float(quality)) != 0,
            unsafe WebPPictureInit(&picture) != 0
        else { throw .damaged("libwebp has another version") }
        defer { unsafe WebPPictureFree(&picture) }
        unsafe picture.width = Int32(bitmap.width)
        unsafe picture.height = Int32(bitmap.height)
        guard unsafe WebPPictureImportRGB(&picture, bitmap.pixels, Int32(bitmap.width * 3)) != 0 else {
            throw .damaged("not enough memory")
        }
        let (width, height) = size(of: bitmap, within: side)
        if width < bitmap.width || height < bitmap.height {
            guard unsafe WebPPictureRescale(&picture, Int32(width), Int32(height)) != 0 else {
                throw .damaged("not enough memory")
            }
        }
        var writer = unsafe WebPMemoryWriter()
        unsafe WebPMemoryWriterInit(&writer)
        defer { unsafe WebPMemoryWriterClear(&writer) }
        let isEncoded = unsafe withUnsafeMutablePointer(to: &writer) { place in
            unsafe picture.writer = WebPMemoryWrite
            unsafe picture.custom_ptr = UnsafeMutableRawPointer(place)
            return unsafe WebPEncode(&configuration, &picture) != 0
        }
        guard isEncoded else { throw .damaged("libwebp cannot encode it") }
        return unsafe Array(UnsafeBufferPointer(start: writer.mem, count: writer.size))
    }

    /// Returns the size of the picture that `encode` makes.
    public static func size(of bitmap: Bitmap, within side: Int) -> (width: Int, height: Int) {
        let longer = max(bitmap.width, bitmap.height)
        guard longer > side else { return (bitmap.width, bitmap.height) }
        return (max(1, bitmap.width * side / longer), max(1, bitmap.height * side / longer))
    }
}
