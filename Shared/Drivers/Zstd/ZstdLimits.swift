/// The limits on one frame.
public enum ZstdLimits {
    /// Bytes of one frame before compression; a frame with a larger declared size is rejected before memory is
    /// allocated.
    public static let frameBytes = 64 << 20
    /// The compression levels, from fast to small.
    public static let levels = 1...19
}
