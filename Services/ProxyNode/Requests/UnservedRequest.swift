import HTTP
import Sharing

/// A request that neither a farm nor the cache serves now.
struct UnservedRequest {
    let exchange: HTTPExchange
    let key: CacheKey
}
