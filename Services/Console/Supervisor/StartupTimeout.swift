import JSON

/// The timeout of a start, which is extended while a service makes progress.
///
/// A service that rebuilds its views serves no requests until it is done, which takes time in proportion to its
/// journal. The timeout restarts whenever one gets further than before.
struct StartupTimeout {
    private let microseconds: Int64
    private var end: Int64
    private var furthest: [Int] = []

    init(seconds: Int, at now: Int64) {
        microseconds = Int64(seconds) * 1_000_000
        end = now + microseconds
    }

    /// Returns whether the timeout has passed without progress.
    ///
    /// - Parameter positions: the position up to which each service has rebuilt its views; nil if it is not rebuilding.
    mutating func isOver(_ positions: [Int?], at now: Int64) -> Bool {
        if furthest.count < positions.count {
            furthest += Array(repeating: -1, count: positions.count - furthest.count)
        }
        for (index, position) in positions.enumerated() {
            guard let position, position > furthest[index] else { continue }
            furthest[index] = position
            end = now + microseconds
        }
        return now >= end
    }

    /// Returns the position up to which a service reports its views as rebuilt.
    ///
    /// Returns nil if the views are up to date, or if the report cannot be read.
    static func folded(in report: [UInt8]) -> Int? {
        do throws(JSONError) {
            guard let views = try JSONValue.parse(report)["checks"]?["views"], views.text("status") == "down" else {
                return nil
            }
            return views.text("detail")?.split(separator: " ").compactMap { Int($0) }.first
        } catch {
            return nil
        }
    }
}
