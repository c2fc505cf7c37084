import CCurl
import Synchronization

/// libcurl's handles that are not in use; each keeps its connections, so the next call need not connect again.
final class CurlHandles: Sendable {
    /// Unchecked: a handle belongs to one call at a time.
    @safe
    struct Handle: @unchecked Sendable {
        let pointer: UnsafeMutableRawPointer
    }

    private let idle = Mutex<[Handle]>([])

    // Once a process, before any handle; libcurl 7.84 and later guards it against threads.
    private static let isReady = curl_global_init(Int(CURL_GLOBAL_DEFAULT)) == CURLE_OK

    deinit {
        for handle in idle.withLock({ $0 }) { unsafe curl_easy_cleanup(handle.pointer) }
    }

    func take() throws(HTTPError) -> Handle {
        if let handle = idle.withLock({ $0.popLast() }) { return handle }
        guard Self.isReady, let pointer = unsafe curl_easy_init() else {
            throw HTTPError(.exhausted, "no memory for a request")
        }
        return unsafe Handle(pointer: pointer)
    }

    func giveBack(_ handle: Handle) {
        unsafe curl_easy_reset(handle.pointer)
        let isKept = idle.withLock { idle in
            guard idle.count < Limits.idleHandles else { return false }
            idle.append(handle)
            return true
        }
        if !isKept { unsafe curl_easy_cleanup(handle.pointer) }
    }
}
