import CPNG
import CTurboJPEG
import CWebP

/// Decodes pictures of untrusted origin with the libraries that Debian maintains: libjpeg-turbo, libpng and libwebp.
public enum PictureDecoder {
    /// Returns the pixels of a JPEG, PNG or WebP picture.
    ///
    /// - Parameter side: A JPEG may be returned smaller, but with its longer side at least this long.
    public static func bitmap(of bytes: [UInt8], side: Int) throws(ImagingError) -> Bitmap {
        if bytes.starts(with: [0xFF, 0xD8, 0xFF]) { return try jpeg(bytes, side) }
        if bytes.starts(with: [0x89, 0x50, 0x4E, 0x47]) { return try png(bytes) }
        if bytes.starts(with: Array("RIFF".utf8)), bytes.dropFirst(8).starts(with: Array("WEBP".utf8)) {
            return try webp(bytes)
        }
        throw .unknownFormat
    }

    private static func check(_ width: Int, _ height: Int, most: Int) throws(ImagingError) {
        guard width > 0, height > 0 else { throw .damaged("it has no pixels") }
        guard width <= most / height else { throw .tooManyPixels(width.multipliedReportingOverflow(by: height).0) }
    }

    private static func jpeg(_ bytes: [UInt8], _ side: Int) throws(ImagingError) -> Bitmap {
        guard let handle = unsafe tjInitDecompress() else { throw .damaged("not enough memory") }
        defer { unsafe tjDestroy(handle) }
        var (width, height, sampling, colours): (Int32, Int32, Int32, Int32) = (0, 0, 0, 0)
        let read = unsafe tjDecompressHeader3(
            handle, bytes, UInt(bytes.count), &width, &height, &sampling, &colours)
        guard read == 0 else { throw .damaged(unsafe String(cString: tjGetErrorStr2(handle))) }
        try check(Int(width), Int(height), most: ImagingLimits.scaledPixels)
        // The library decodes at 1/8, 1/4 or 1/2 of the size in a fraction of the time and memory.
        let divisor = [8, 4, 2].first { max(Int(width), Int(height)) / $0 >= side } ?? 1
        let (smallWidth, smallHeight) = ((Int(width) + divisor - 1) / divisor, (Int(height) + divisor - 1) / divisor)
        try check(smallWidth, smallHeight, most: ImagingLimits.pixels)
        var pixels = [UInt8](repeating: 0, count: smallWidth * smallHeight * 3)
        let done = unsafe tjDecompress2(
            handle, bytes, UInt(bytes.count), &pixels, Int32(smallWidth), 0, Int32(smallHeight),
            Int32(TJPF_RGB.rawValue),
            0)
        // A warning means that some pixels are wrong, not that none can be shown.
        guard unsafe done == 0 || tjGetErrorCode(handle) == Int32(TJERR_WARNING.rawValue) else {
            throw .damaged(unsafe String(cString: tjGetErrorStr2(handle)))
        }
        return Bitmap(width: smallWidth, height: smallHeight, pixels: pixels)
    }

    private static func png(_ bytes: [UInt8]) throws(ImagingError) -> Bitmap {
        var image = unsafe png_image()
        unsafe image.version = png_uint_32(PNG_IMAGE_VERSION)
        guard unsafe png_image_begin_read_from_memory(&image, bytes, bytes.count) != 0 else {
            throw .damaged("libpng cannot read it")
        }
        defer { unsafe png_image_free(&image) }
        let (width, height) = unsafe (Int(image.width), Int(image.height))
        try check(width, height, most: ImagingLimits.pixels)
        unsafe image.format = png_uint_32(PNG_FORMAT_FLAG_COLOR)
        // What is transparent becomes white.
        var background = png_color(red: 255, green: 255, blue: 255)
        var pixels = [UInt8](repeating: 0, count: width * height * 3)
        guard unsafe png_image_finish_read(&image, &background, &pixels, Int32(width * 3), nil) != 0 else {
            throw .damaged("libpng cannot decode it")
        }
        return Bitmap(width: width, height: height, pixels: pixels)
    }

    private static func webp(_ bytes: [UInt8]) throws(ImagingError) -> Bitmap {
        var (width, height): (Int32, Int32) = (0, 0)
        guard unsafe WebPGetInfo(bytes, bytes.count, &width, &height) != 0 else {
            throw .damaged("libwebp cannot read it")
        }
        try check(Int(width), Int(height), most: ImagingLimits.pixels)
        var pixels = [UInt8](repeating: 0, count: Int(width) * Int(height) * 3)
        let room = pixels.count
        guard unsafe WebPDecodeRGBInto(bytes, bytes.count, &pixels, room, width * 3) != nil else {
            throw .damaged("libwebp cannot decode it")
        }
        return Bitmap(width: Int(width), height: Int(height), pixels: pixels)
    }
}
