import CCurl

/// libcurl's functions, loaded once in a process when the first client needs them, and never unloaded.
///
/// Unchecked: the table does not change after it was filled.
@safe
struct Curl: @unchecked Sendable {
    let table: UnsafePointer<curl_shim>

    /// The loaded functions; nil if libcurl is not installed.
    static let loaded: Curl? = {
        let table = UnsafeMutablePointer<curl_shim>.allocate(capacity: 1)
        unsafe table.initialize(to: curl_shim())
        return unsafe curl_shim_load(table) == 1 ? Curl(table: UnsafePointer(table)) : nil
    }()
}
