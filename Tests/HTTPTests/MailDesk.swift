import Foundation
import Synchronization

/// A mail server on loopback for one client, with the given extensions; after STARTTLS it forwards every byte.
final class MailDesk: Sendable {
    struct Trouble: Error {}

    /// The lines received unencrypted.
    let heard = Shelf<String>()
    let port: Int
    private let listener: Int32
    private let offers: [String]
    /// The port of the TLS server behind it.
    private let sealed: Int?

    init(offers: [String], sealed: Int? = nil) throws {
        let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        self.listener = listener
        self.offers = offers
        self.sealed = sealed
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = INADDR_LOOPBACK.bigEndian
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let failed = unsafe withUnsafeMutablePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
                unsafe bind(listener, pointer, size) + listen(listener, 1) + getsockname(listener, pointer, &size)
            }
        }
        guard failed == 0 else { throw Trouble() }
        port = Int(in_port_t(bigEndian: address.sin_port))
        Thread { [self] in serve() }.start()
    }

    private func serve() {
        let caller = accept(listener, nil, nil)
        close(listener)
        guard caller >= 0 else { return }
        defer { close(caller) }
        say("220 desk", to: caller)
        var isLetter = false
        while let line = line(of: caller) {
            heard.put(line)
            if isLetter {
                guard line == "." else { continue }
                isLetter = false
                say("250 taken", to: caller)
                continue
            }
            switch line.prefix(4) {
            case "EHLO":
                for offer in offers { say("250-\(offer)", to: caller) }
                say("250 8BITMIME", to: caller)
            case "STAR":
                say("220 go on", to: caller)
                return passOn(caller)
            case "DATA":
                say("354 go on", to: caller)
                isLetter = true
            case "QUIT": return say("221 bye", to: caller)
            default: say("250 ok", to: caller)
            }
        }
    }

    private func say(_ line: String, to caller: Int32) {
        let bytes = Array("\(line)\r\n".utf8)
        _ = unsafe send(caller, bytes, bytes.count, Int32(MSG_NOSIGNAL))
    }

    /// Reads byte by byte, because the bytes after STARTTLS belong to the TLS server.
    private func line(of caller: Int32) -> String? {
        var bytes: [UInt8] = []
        var byte: UInt8 = 0
        while unsafe recv(caller, &byte, 1, 0) == 1 {
            if byte == UInt8(ascii: "\n") { return String(decoding: bytes.dropLast(), as: UTF8.self) }
            bytes.append(byte)
        }
        return nil
    }

    private func passOn(_ caller: Int32) {
        guard let sealed, let behind = try? RawConnection(port: sealed) else { return }
        let isOver = Signal()
        Thread {
            behind.copy(to: caller)
            isOver.raise()
        }.start()
        var buffer = [UInt8](repeating: 0, count: 4096)
        while true {
            let count = unsafe recv(caller, &buffer, buffer.count, 0)
            guard count > 0, behind.send(bytes: Array(buffer[..<count])) else { break }
        }
        behind.hangUp()
        _ = isOver.wait()
    }
}
