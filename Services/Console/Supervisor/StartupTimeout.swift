import JSON

/// How long a start is waited for. A service that folds its views anew answers nobody before that is done, which takes
/// as long as its journal is; while it gets further than ever before, nobody is late.
struct StartupTimeout {
    private let microseconds: Int64
    private var end: Int64
    private var furthest: [Int] = []

    init(seconds: Int, at now: Int64) {
        microseconds = Int64(seconds) * 1_000_000
        end = now + microseconds
    }

    /// - Parameter positions: how far each service says that it has folded; nil where it folds nothing.
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

    /// How far a service that is not ready says that it has folded its views; nil where they are well, or it says
    /// something else.
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
