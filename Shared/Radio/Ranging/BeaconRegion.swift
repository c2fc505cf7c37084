/// A set of beacons that share the beginning of their identity: a UUID, also with a major and a minor number
/// (iBeacon), or a namespace, also with an instance (Eddystone-UID).
///
///     let shed = BeaconRegion("iBeacon:F7826DA64FA24E988024BC5B71E0893E:1")
///     shed?.description  // "ibeacon:f7826da6-4fa2-4e98-8024-bc5b71e0893e:1"
public struct BeaconRegion: Hashable, Sendable, CustomStringConvertible {
    /// The beginning of the identities, in the form of `Beacon.identity`.
    public let description: String

    /// Reads `ibeacon:<uuid>[:<major>[:<minor>]]` or `eddystone:<namespace>[:<instance>]`; nil if it is neither.
    /// Letters may be of either case, and the UUID without hyphens.
    public init?(_ text: String) {
        let parts = text.lowercased().split(separator: ":", omittingEmptySubsequences: false)
        switch parts.first {
        case "ibeacon" where (2...4).contains(parts.count):
            let digits = parts[1].filter { $0 != "-" }
            let numbers = parts.dropFirst(2).compactMap { UInt16($0) }
            guard digits.count == 32, Self.isHex(digits), numbers.count == parts.count - 2 else { return nil }
            description = (["ibeacon", UUIDText.dashed(digits)] + numbers.map { String($0) }).joined(separator: ":")
        case "eddystone" where (2...3).contains(parts.count):
            let lengths = parts.dropFirst().map(\.count)
            guard lengths == Array([20, 12].prefix(lengths.count)), parts.dropFirst().allSatisfy({ Self.isHex($0) })
            else { return nil }
            description = parts.joined(separator: ":")
        default: return nil
        }
    }

    /// Returns the descriptions of all regions that contain a beacon, the largest first; empty for devices without an
    /// identity of these forms.
    public static func descriptions(around identity: String) -> [String] {
        let parts = identity.split(separator: ":", omittingEmptySubsequences: false)
        guard parts.first == "ibeacon" || parts.first == "eddystone", parts.count > 1 else { return [] }
        return (2...parts.count).map { parts.prefix($0).joined(separator: ":") }
    }

    private static func isHex(_ text: some StringProtocol) -> Bool {
        text.utf8.allSatisfy { (0x30...0x39).contains($0) || (0x61...0x66).contains($0) }
    }
}
