import Imaging

/// The small copies of pictures: WebP, turned as the picture is to be viewed, for lists and for dialogs.
enum SmallCopy {
    /// The longest sides of the copies, and the most bytes of the smaller one: a list of them loads fast in the field.
    static let previewSide = 1024
    static let thumbnailSide = 320
    static let thumbnailBytes = 30_000
    private static let qualities: [Double] = [75, 60, 45, 30]

    /// Returns the pixels of a JPEG, PNG or WebP picture, its longer side at least `side` if the picture is as long.
    static func bitmap(of bytes: [UInt8], side: Int) throws(ImagingError) -> Bitmap {
        try PictureDecoder.bitmap(of: bytes, side: side)
            .turned(by: JPEGPicture.orientation(of: bytes)?.value ?? 1)
    }

    static func preview(of bitmap: Bitmap) throws(ImagingError) -> [UInt8] {
        try WebPEncoder.encode(bitmap, side: previewSide, quality: 75)
    }

    /// Returns the copy for lists, at the best quality that is small enough.
    static func thumbnail(of bitmap: Bitmap) throws(ImagingError) -> [UInt8] {
        var bytes: [UInt8] = []
        for quality in qualities {
            bytes = try WebPEncoder.encode(bitmap, side: thumbnailSide, quality: quality)
            if bytes.count <= thumbnailBytes { break }
        }
        return bytes
    }
}
