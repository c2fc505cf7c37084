import EventSourcing
import System
import Vocabulary

/// The time zones that this machine knows (Debian's tzdata), and the days of farms in them.
public struct Zones: Sendable {
    private let folder = "/usr/share/zoneinfo"

    public init() {}

    /// The day of a farm's clocks: what was harvested in the evening is not of tomorrow.
    func day(of time: Instant, at farm: FarmID, _ tables: any Tables) -> String {
        let name = tables.get(FarmRow.self, farm.rawValue)?.zone
        // Farms of old logs may have a zone that nobody knows.
        return time.day(in: name.flatMap(zone) ?? .utc)
    }

    /// The zone of that name, `Europe/Vienna`; nil if there is none.
    func zone(_ name: String) -> Zone? {
        // Every part of a zone's name begins with a capital: what else lies there does not, nor does a way out.
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
