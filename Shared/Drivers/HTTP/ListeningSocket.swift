import Glibc

/// A bound, listening TCP socket; created here because libmicrohttpd does not report why it failed.
struct ListeningSocket {
    let descriptor: Int32
    let port: Int

    /// Binds and listens.
    ///
    ///   - address: a numeric address; `::` takes IPv4 too.
    ///   - port: 0 for any that is free.
    init(address: String, port: Int) throws(HTTPError) {
        guard let number = UInt16(exactly: port) else {
            throw HTTPError(.addressUnusable, "there is no port \(port)")
        }
        var hints = unsafe addrinfo()
        unsafe hints.ai_flags = AI_PASSIVE | AI_NUMERICHOST | AI_NUMERICSERV
        unsafe hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        var found: UnsafeMutablePointer<addrinfo>?
        guard unsafe getaddrinfo(address, "\(number)", &hints, &found) == 0, let found = unsafe found else {
            throw HTTPError(.addressUnusable, "\(address) is not a numeric address")
        }
        defer { unsafe freeaddrinfo(found) }
        let family = unsafe found.pointee.ai_family
        let flags = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue) | Int32(SOCK_NONBLOCK.rawValue)
        let descriptor = socket(family, flags, 0)
        guard descriptor >= 0 else { throw HTTPError(.exhausted, "no socket: \(Self.reason(errno))") }
        Self.set(descriptor, SOL_SOCKET, SO_REUSEADDR, 1)
        if family == AF_INET6 { Self.set(descriptor, Int32(IPPROTO_IPV6), IPV6_V6ONLY, 0) }
        guard unsafe bind(descriptor, found.pointee.ai_addr, found.pointee.ai_addrlen) == 0,
            listen(descriptor, Int32(TransferLimits.backlog)) == 0
        else {
            let code = errno
            close(descriptor)
            guard code == EADDRINUSE else {
                throw HTTPError(.addressUnusable, "cannot listen on \(address) port \(port): \(Self.reason(code))")
            }
            throw HTTPError(.portTaken(port), "port \(port) on \(address) is taken by another program")
        }
        self.descriptor = descriptor
        self.port = Self.boundPort(of: descriptor) ?? port
    }

    private static func set(_ descriptor: Int32, _ level: Int32, _ option: Int32, _ value: Int32) {
        var value = value
        unsafe setsockopt(descriptor, level, option, &value, socklen_t(MemoryLayout<Int32>.size))
    }

    /// Disables Nagle's algorithm, so that small responses are sent at once.
    static func sendPromptly(_ descriptor: Int32) { set(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, 1) }

    private static func boundPort(of descriptor: Int32) -> Int? {
        var storage = sockaddr_storage()
        var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
        let failed = unsafe withUnsafeMutablePointer(to: &storage) { storage in
            unsafe storage.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                unsafe getsockname(descriptor, address, &length)
            }
        }
        guard failed == 0 else { return nil }
        // The port is at the same offset in both families.
        return unsafe withUnsafeBytes(of: &storage) { bytes in
            unsafe Int(UInt16(bigEndian: bytes.loadUnaligned(fromByteOffset: 2, as: UInt16.self)))
        }
    }

    private static func reason(_ code: Int32) -> String {
        var buffer = [CChar](repeating: 0, count: 128)
        guard unsafe strerror_r(code, &buffer, buffer.count) == 0 else { return "error \(code)" }
        return String(decoding: buffer.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
}
