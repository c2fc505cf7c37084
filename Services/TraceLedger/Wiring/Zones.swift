import EventSourcing
import System
import Vocabulary

/// The time zones known to this machine (Debian's tzdata), and calendar days in a farm's zone.
public struct Zones: Sendable {
    private let folder = "/usr/share/zoneinfo"

    public init() {}

    /// Returns the day in the farm's zone, so that an evening's harvest does not get the next day's date.
    func day(of time: Instant, at farm: FarmID, _ tables: any Tables) -> String {
        let name = tables.get(FarmRow.self, farm.rawValue)?.zone
        // Farms in older logs may have an unknown zone.
        return time.day(in: name.flatMap(zone) ?? .utc)
    }

    /// Returns the zone of a name such as `Europe/Vienna`; nil if there is none.
    func zone(_ name: String) -> Zone? {
        // Every part of a zone's name begins with a capital. Other files and path traversal do not match.
        guard name.split(separator: "/", omittingEmptySubsequences: false).allSatisfy(isPart) else { return nil }
        do {
            return Zone(file: try File.read("\(folder)/\(name)", limit: 65_536))
        } catch {
            return nil
        }
    }

    private func isPart(_ part: Substring) -> Bool {
        ("A"..."Z").contains(part.prefix(1))
            && part.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "+"), UInt8(ascii: "-"):
                    true
                default: false
                }
            }
    }
}
