import JSON

/// How long a start is waited for. A service that folds its views anew answers nobody before that is done, which takes
/// as long as its journal is; while it gets on, nobody is late.
struct StartPatience {
    private let microseconds: Int64
    private var end: Int64
    private var told: [String?] = []

    init(seconds: Int, at now: Int64) {
        microseconds = Int64(seconds) * 1_000_000
        end = now + microseconds
    }

    /// - Parameter foldings: how far each service says that it is; nil where it folds nothing.
    mutating func isOver(_ foldings: [String?], at now: Int64) -> Bool {
        if foldings != told { (told, end) = (foldings, now + microseconds) }
        return now >= end
    }

    /// What a service that is not ready says of its views; nil where they are well, or it says something else.
    static func folding(in report: [UInt8]) -> String? {
        do throws(JSONError) {
            let views = try JSONValue.parse(report)["checks"]?["views"]
            return views?.text("status") == "down" ? views?.text("detail") : nil
        } catch {
            return nil
        }
    }
}
