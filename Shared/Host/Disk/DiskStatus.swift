public import JSON
public import System

/// The status of the disk of a home: its space, and the limit below which new records are refused.
public struct DiskStatus: JSONReadable, JSONWritable, Equatable, Sendable {
    /// The free and the total space.
    public let space: DiskSpace
    /// The least free space in bytes; below it nothing new is recorded.
    public let needed: UInt64

    /// Creates the status from a measured space and the needed bytes.
    public init(_ space: DiskSpace, needed: UInt64) {
        self.space = space
        self.needed = needed
    }

    /// Measures the disk at `path` with the default thresholds. Throws if it cannot be measured.
    public init(of path: String) throws(SystemError) {
        let space = try DiskSpace(of: path)
        self.init(space, needed: DiskThresholds().needed(of: space))
    }

    /// Selects the disk with the least space left from the status responses of all services; returns nil if none
    /// contains a disk.
    public init?(lowest told: [JSONValue]) {
        let disks = told.compactMap { told in
            do {
                return try told.find("disk", as: Self.self)
            } catch {
                // A service of another build has a different response.
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

    /// The bytes that may still be used before new records are refused.
    public var left: UInt64 { isLow ? 0 : space.free - needed }
}
