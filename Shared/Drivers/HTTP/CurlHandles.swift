import CCurl
import Synchronization

/// The idle handles of libcurl; each retains its connections, so that the next call need not connect again.
final class CurlHandles: Sendable {
    /// Unchecked: a handle belongs to one call at a time.
    @safe
    struct Handle: @unchecked Sendable {
        let curl: Curl
        let pointer: UnsafeMutableRawPointer

        func free() { unsafe curl_shim_free(curl.table, pointer) }
    }

    private let idle = Mutex<[Handle]>([])

    deinit {
        for handle in idle.withLock({ $0 }) { handle.free() }
    }

    func take() throws(HTTPError) -> Handle {
        if let handle = idle.withLock({ $0.popLast() }) { return handle }
        guard let curl = Curl.loaded else { throw HTTPError(.exhausted, "libcurl cannot be loaded") }
        guard let pointer = unsafe curl_shim_make(curl.table) else {
            throw HTTPError(.exhausted, "no memory for a request")
        }
        return unsafe Handle(curl: curl, pointer: pointer)
    }

    func giveBack(_ handle: Handle) {
        unsafe curl_shim_reset(handle.curl.table, handle.pointer)
        let isKept = idle.withLock { idle in
            guard idle.count < TransferLimits.idleHandles else { return false }
            idle.append(handle)
            return true
        }
        if !isKept { handle.free() }
    }
}
