/// The limits of every document, read or written.
public enum JSONLimits {
    /// The depth of nested containers; the outermost one counts.
    public static let depthMax = 64
    /// The longest document that is parsed, in bytes.
    public static let documentBytesMax = 16 * 1024 * 1024
}
