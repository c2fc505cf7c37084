/// Two sums over a run of bytes that locate a single changed byte, and give its difference.
///
/// `plain` is the sum of the bytes. `weighted` is the sum of all intermediate sums, so the last byte counts once, the
/// one before it twice, and so on. Both are modulo the largest prime below 2^32, and runs are shorter than that.
struct DamageLocator: Equatable, Sendable {
    private(set) var plain: UInt64 = 0
    private(set) var weighted: UInt64 = 0

    private static let prime: UInt64 = 4_294_967_291
    /// The number of bytes that are added before the sums are reduced; until then they fit into 64 bits.
    private static let stride = 65_536

    init() {}

    init(_ bytes: ArraySlice<UInt8>) {
        add(bytes)
    }

    /// Parses `text`; nil for anything else.
    init?(_ text: Substring) {
        guard text.utf8.count == Self.textBytes, let number = UInt64(text, radix: 16) else { return nil }
        (plain, weighted) = (number >> 32, number & 0xFFFF_FFFF)
    }

    static let textBytes = 16

    /// Both sums as sixteen hexadecimal digits.
    var text: String {
        let digits = String(plain << 32 | weighted, radix: 16)
        return String(repeating: "0", count: Self.textBytes - digits.utf8.count) + digits
    }

    mutating func add(_ bytes: ArraySlice<UInt8>) {
        var at = bytes.startIndex
        while at < bytes.endIndex {
            let end = min(at + Self.stride, bytes.endIndex)
            var (sum, sums) = (plain, weighted)
            for byte in bytes[at..<end] {
                sum &+= UInt64(byte)
                sums &+= sum
            }
            (plain, weighted) = (sum % Self.prime, sums % Self.prime)
            at = end
        }
    }

    /// Returns the index and difference of a single changed byte among `count` bytes; nil if that cannot explain the
    /// sums.
    ///
    /// The caller must verify it: other changes may give the same sums.
    func change(in found: DamageLocator, count: Int) -> (index: Int, delta: Int)? {
        let plain = (found.plain + Self.prime - plain) % Self.prime
        let weighted = (found.weighted + Self.prime - weighted) % Self.prime
        let delta: Int
        switch plain {
        case 1...255: delta = Int(plain)
        case (Self.prime - 255)..<Self.prime: delta = -Int(Self.prime - plain)
        default: return nil
        }
        // By Fermat, the inverse of a number is its power of p − 2.
        let left = weighted * Self.power(plain, Self.prime - 2) % Self.prime
        guard left >= 1, left <= UInt64(count) else { return nil }
        return (count - Int(left), delta)
    }

    private static func power(_ base: UInt64, _ exponent: UInt64) -> UInt64 {
        var (result, square, rest): (UInt64, UInt64, UInt64) = (1, base % prime, exponent)
        while rest > 0 {
            if rest & 1 == 1 { result = result * square % prime }
            square = square * square % prime
            rest >>= 1
        }
        return result
    }
}
