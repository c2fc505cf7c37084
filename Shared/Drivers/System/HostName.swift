internal import Glibc

/// The names of other machines, as this one's resolver knows them.
public enum HostName {
    /// Every IPv4 address of a host in numeric form, sorted; none where the resolver knows none or does not answer.
    ///
    /// Blocks as long as the resolver does, which may be many seconds.
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
