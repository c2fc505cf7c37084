import Foundation
import Synchronization

/// A bare TCP connection to loopback, to send what a correct client would not.
final class RawConnection: Sendable {
    struct Trouble: Error {}

    private let descriptor: Int32
    private let isOpen = Mutex(true)

    /// Connects to a port.
    ///
    /// - Parameter source: the last byte of the client's address in 127.0.0.0/24.
    init(port: Int, from source: UInt32 = 1) throws {
        descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        if source != 1 {
            var own = sockaddr_in()
            own.sin_family = sa_family_t(AF_INET)
            own.sin_addr.s_addr = (INADDR_LOOPBACK - 1 + source).bigEndian
            let failed = unsafe withUnsafePointer(to: &own) { pointer in
                unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
                    unsafe bind(descriptor, pointer, socklen_t(MemoryLayout<sockaddr_in>.size))
                }
            }
            guard failed == 0 else { throw Trouble() }
        }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = in_port_t(port).bigEndian
        address.sin_addr.s_addr = INADDR_LOOPBACK.bigEndian
        let failed = unsafe withUnsafePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
                unsafe connect(descriptor, pointer, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard failed == 0 else { throw Trouble() }
        var patience = timeval(tv_sec: 20, tv_usec: 0)
        unsafe setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &patience, socklen_t(MemoryLayout<timeval>.size))
    }

    deinit { hangUp() }

    /// Connects, sends bytes and disconnects; returns false if no server listens.
    static func tell(port: Int, _ text: String) -> Bool {
        do {
            try RawConnection(port: port).send(text)
            return true
        } catch {
            return false
        }
    }

    func hangUp() {
        isOpen.withLock { isOpen in
            if isOpen { close(descriptor) }
            isOpen = false
        }
    }

    /// Sends bytes; returns false if the other side has closed.
    @discardableResult
    func send(_ text: String) -> Bool { send(bytes: Array(text.utf8)) }

    func send(bytes: [UInt8]) -> Bool {
        var sent = 0
        while sent < bytes.count {
            let rest = Array(bytes[sent...])
            let count = unsafe Glibc.send(descriptor, rest, rest.count, Int32(MSG_NOSIGNAL))
            if count <= 0 { return false }
            sent += count
        }
        return true
    }

    /// Forwards bytes until one of the two closes.
    func copy(to other: Int32) {
        var buffer = [UInt8](repeating: 0, count: 4096)
        while true {
            let count = unsafe recv(descriptor, &buffer, buffer.count, 0)
            guard count > 0, unsafe Glibc.send(other, buffer, count, Int32(MSG_NOSIGNAL)) == count else { break }
        }
        shutdown(other, Int32(SHUT_RDWR))
    }

    /// Reads until `isEnough` returns true or the other side closes.
    func read(until isEnough: (String) -> Bool = { _ in false }) -> String {
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while !isEnough(String(decoding: bytes, as: UTF8.self)) {
            let count = unsafe recv(descriptor, &buffer, buffer.count, 0)
            if count <= 0 { break }
            bytes += buffer[..<count]
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Returns whether the other side closes within 20 seconds; received bytes are dropped.
    func isClosedByPeer() -> Bool {
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = unsafe recv(descriptor, &buffer, buffer.count, 0)
            if count > 0 { continue }
            return count == 0 || errno == ECONNRESET
        }
    }
}
