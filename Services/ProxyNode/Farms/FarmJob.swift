import Sharing
import Wire

/// A request to a farm.
struct FarmJob: FetchJob {
    static let seconds = NodeLimits.fetchSeconds

    /// The number of the farm.
    let farm: Int
    let key: CacheKey
    /// The entity tag of the response that is stored.
    let tag: String?

    var url: String { key.farm + key.target }

    var headers: [(String, String)] {
        let tags = tag.map { [("If-None-Match", $0)] } ?? []
        return [("Accept", key.accepted), ("Accept-Signature", ResponseSignature.request)] + tags
    }
}
