/// The limits on labels and codes.
public enum PrintLimits {
    /// UTF-8 bytes of the text of one QR code; version 40 at level L holds 2,953.
    public static let textBytes = 2_953
    /// Labels in one document.
    public static let labels = 5_000
    /// Lines under the title of a label.
    public static let lines = 6
    /// Characters of a title or a line.
    public static let lineCharacters = 200
    /// Modules along one side of a code on a label: version 14, whose modules are still 0.4 mm wide.
    public static let labelModules = 73
    /// Light modules around a code, by ISO/IEC 18004.
    public static let quietModules = 4
    /// Rows of a report, pixels along a side of a picture in it, and pixels of one that is decoded (4 bytes each).
    public static let reportRows = 20_000
    public static let pictureSide = 4_096
    public static let decodedPixels = 1 << 22
    /// Resolutions of a PNG.
    public static let dotsPerInch = 150...1_200
}
