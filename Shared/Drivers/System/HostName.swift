internal import Glibc

/// Look-ups of host names with the system's resolver.
public enum HostName {
    /// Returns all IPv4 addresses of a host in numeric form, sorted; empty if the resolver finds none or fails.
    ///
    /// Blocks until the resolver responds, which may take many seconds.
    public static func addresses(of host: String) -> [String] {
        var wanted = unsafe addrinfo()
        unsafe wanted.ai_family = AF_INET
        unsafe wanted.ai_socktype = Int32(bitPattern: SOCK_STREAM.rawValue)
        var list: UnsafeMutablePointer<addrinfo>?
        guard unsafe getaddrinfo(host, nil, &wanted, &list) == 0 else { return [] }
        defer { unsafe freeaddrinfo(list) }
        var found: Set<String> = []
        var next = unsafe list
        while let entry = unsafe next {
            var text = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
            let result = unsafe getnameinfo(
                entry.pointee.ai_addr, entry.pointee.ai_addrlen, &text, socklen_t(text.count), nil, 0, NI_NUMERICHOST)
            if result == 0 {
                found.insert(String(decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self))
            }
            unsafe next = entry.pointee.ai_next
        }
        return found.sorted()
    }
}
