public import JSON
public import System

/// How the disk of a home stands: its room, and where new records begin to be refused.
public struct DiskStatus: JSONReadable, JSONWritable, Equatable, Sendable {
    public let space: DiskSpace
    /// Bytes; with fewer free, nothing new is recorded.
    public let needed: UInt64

    public init(_ space: DiskSpace, needed: UInt64) {
        self.space = space
        self.needed = needed
    }

    /// As a service judges it that was told nothing else.
    public init(of path: String) throws(SystemError) {
        let space = try DiskSpace(of: path)
        self.init(space, needed: DiskThresholds().needed(of: space))
    }

    /// From what every service tells of how it stands, the one with the least room; nil while nobody tells.
    public init?(lowest told: [JSONValue]) {
        let disks = told.compactMap { told in
            do {
                return try told.find("disk", as: Self.self)
            } catch {
                // A service of another build tells something else.
                return nil
            }
        }
        guard let lowest = disks.min(by: { $0.left < $1.left }) else { return nil }
        self = lowest
    }

    public init(json: borrowing JSONValue) throws(JSONError) {
        self.init(DiskSpace(free: try json.get("free"), total: try json.get("size")), needed: try json.get("needed"))
    }

    public func write(to json: inout JSONWriter) {
        json.object { json in
            json.field("free", space.free)
            json.field("size", space.total)
            json.field("needed", needed)
        }
    }

    /// Whether new records are refused.
    public var isLow: Bool { space.free < needed }

    /// Bytes that may still be filled before they are.
    public var left: UInt64 { isLow ? 0 : space.free - needed }
}
