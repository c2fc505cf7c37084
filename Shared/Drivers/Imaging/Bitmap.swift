/// A picture as pixels: red, green and blue of 8 bits each, in rows from the top.
public struct Bitmap: Sendable, Equatable {
    public let width: Int
    public let height: Int
    public let pixels: [UInt8]

    /// Creates a bitmap; `pixels` has three bytes for each pixel.
    public init(width: Int, height: Int, pixels: [UInt8]) {
        precondition(pixels.count == width * height * 3, "three bytes for each pixel")
        self.width = width
        self.height = height
        self.pixels = pixels
    }

    /// Returns the bitmap as it is to be viewed.
    ///
    /// - Parameter orientation: The value of Exif's tag `Orientation` (Exif 2.32, 4.6.4 A): 1 to 8; others change
    ///   nothing.
    public func turned(by orientation: UInt8) -> Bitmap {
        guard (2...8).contains(orientation) else { return self }
        let isSideways = orientation >= 5
        let (newWidth, newHeight) = isSideways ? (height, width) : (width, height)
        var turned: [UInt8] = []
        turned.reserveCapacity(pixels.count)
        for y in 0..<newHeight {
            for x in 0..<newWidth {
                let (column, row) = source(x, y, orientation)
                let place = (row * width + column) * 3
                turned.append(pixels[place])
                turned.append(pixels[place + 1])
                turned.append(pixels[place + 2])
            }
        }
        return Bitmap(width: newWidth, height: newHeight, pixels: turned)
    }

    /// Returns where the pixel at a place of the turned bitmap comes from.
    private func source(_ x: Int, _ y: Int, _ orientation: UInt8) -> (column: Int, row: Int) {
        switch orientation {
        case 2: (width - 1 - x, y)
        case 3: (width - 1 - x, height - 1 - y)
        case 4: (x, height - 1 - y)
        case 5: (y, x)
        case 6: (y, height - 1 - x)
        case 7: (width - 1 - y, height - 1 - x)
        default: (width - 1 - y, x)
        }
    }
}

/// Why a picture cannot be decoded or encoded.
public enum ImagingError: Error, Equatable {
    /// The format is none of JPEG, PNG and WebP.
    case unknownFormat
    /// The picture has more pixels than are decoded.
    case tooManyPixels(Int)
    /// The library's own words.
    case damaged(String)
}

/// The limits of pictures.
public enum ImagingLimits {
    /// The most pixels of a picture that is decoded whole, and of a JPEG, which is decoded at a fraction of its size.
    public static let pixels = 16_000_000
    public static let scaledPixels = 100_000_000
    /// The longest side of a picture that is encoded (WebP, section 2.4).
    public static let side = 16_383
}
