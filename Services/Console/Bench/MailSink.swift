import Synchronization
import System
import ZeroMQ

/// A mail server on loopback, as much of RFC 5321 as a client needs: accepts every e-mail and stores none.
final class MailSink: Sendable {
    let port: Int
    private let worker: Worker
    private let isStopping: Stopping

    /// Whether the thread is to end.
    private final class Stopping: Sendable {
        let value = Mutex(false)
    }

    /// - Parameter onMail: is called on the sink's thread when an e-mail is complete, before it is confirmed.
    init(onMail: @escaping @Sendable () -> Void) throws {
        let ready = try Mailbox<Result<Int, any Error>>(capacity: 1)
        let isStopping = Stopping()
        self.isStopping = isStopping
        worker = try Worker(name: "mail sink") {
            do {
                let socket = try Socket(.stream, in: Context())
                try socket.bind("tcp://127.0.0.1:*")
                _ = ready.push(.success(Int(socket.lastEndpoint.split(separator: ":").last ?? "") ?? 0))
                try Self.serve(socket, until: { isStopping.value.withLock { $0 } }, onMail)
            } catch {
                // After the start, this is not read: the caller notices that no mail arrives.
                _ = ready.push(.failure(error))
            }
        }
        _ = try Poll.wait([ready.descriptor], milliseconds: 10_000)
        guard let port = try ready.drain().first?.get() else { throw Refusal("The mail sink does not start.") }
        self.port = port
    }

    func stop() {
        isStopping.value.withLock { $0 = true }
        worker.join()
    }

    private static func serve(
        _ socket: Socket, until isOver: () -> Bool, _ onMail: () -> Void
    ) throws(ZeroMQError) {
        var dialogues: [[UInt8]: Dialogue] = [:]
        var poller = Poller()
        _ = poller.add(socket)
        while !isOver() {
            _ = try poller.wait(milliseconds: 50)
            while let message = try socket.receive() {
                guard message.count == 2 else { continue }
                let (peer, bytes) = (message[0], message[1])
                guard var dialogue = dialogues[peer] else {
                    dialogues[peer] = Dialogue()
                    try socket.send([peer, Array("220 bench.test\r\n".utf8)])
                    continue
                }
                if bytes.isEmpty {
                    dialogues[peer] = nil
                    continue
                }
                let (answer, mails) = dialogue.take(bytes)
                dialogues[peer] = dialogue
                for _ in 0..<mails { onMail() }
                if !answer.isEmpty { try socket.send([peer, answer]) }
            }
        }
    }
}

/// One client's connection to the mail sink. Pure.
struct Dialogue {
    private var rest: [UInt8] = []
    private var isContent = false

    /// Takes bytes of the client. Returns the answer, and the number of e-mails that they complete.
    mutating func take(_ bytes: [UInt8]) -> (answer: [UInt8], mails: Int) {
        rest += bytes
        var answer = ""
        var mails = 0
        while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
            let line = String(decoding: rest[..<end], as: UTF8.self).filter { $0 != "\r" && $0 != "\r\n" }
            rest.removeSubrange(...end)
            if isContent {
                guard line == "." else { continue }
                isContent = false
                mails += 1
                answer += "250 accepted\r\n"
            } else if line.uppercased().hasPrefix("DATA") {
                isContent = true
                answer += "354 end with a dot\r\n"
            } else if line.uppercased().hasPrefix("QUIT") {
                answer += "221 goodbye\r\n"
            } else {
                answer += "250 ok\r\n"
            }
        }
        return (Array(answer.utf8), mails)
    }
}
