/// The bounds of what is packed and unpacked at once.
public enum ZstdLimits {
    /// Bytes of one frame before it is packed; what says it unpacks to more is refused before any memory is taken.
    public static let frameBytes = 64 << 20
    /// How hard it is tried: from quick to thorough.
    public static let levels = 1...19
}
