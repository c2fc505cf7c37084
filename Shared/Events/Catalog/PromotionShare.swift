public import Vocabulary

/// The people from whom a promotion is held back, for comparison. Devices compute the same (`promotion-rules.js`).
public enum PromotionShare {
    /// Returns a number from 0 to 99 that is fixed for a promotion and a person, or for a device without an
    /// account (FNV-1a).
    public static func of(_ person: String, _ promotion: PromotionID) -> Int {
        var hash: UInt32 = 0x811C_9DC5
        for byte in "\(person)|\(promotion)".utf8 { hash = (hash ^ UInt32(byte)) &* 0x0100_0193 }
        // The low bits of FNV alone are unevenly distributed.
        hash = (hash ^ (hash >> 16)) &* 0x45D9_F3B
        return Int((hash ^ (hash >> 16)) % 100)
    }
}
