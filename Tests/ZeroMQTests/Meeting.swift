import Foundation
import Testing
import ZeroMQ

/// Where two sockets of a test meet, one transport each.
enum Meeting: String, CaseIterable, Sendable {
    case ipc, tcp, inproc

    /// An endpoint to bind that no other test uses.
    var endpoint: String {
        switch self {
        case .ipc: "ipc://*"
        case .tcp: "tcp://127.0.0.1:*"
        case .inproc: "inproc://\(UUID().uuidString)"
        }
    }
}

/// Longest any test waits for something that has to come.
let patience = 10_000

/// The next message, waited for; fails the test when none comes.
func next(_ socket: Socket) throws -> [[UInt8]] {
    try #require(try nextWithUser(socket)).frames
}

func nextWithUser(_ socket: Socket) throws -> (frames: [[UInt8]], user: String?)? {
    var poller = Poller()
    _ = poller.add(socket)
    let deadline = ContinuousClock.now + .milliseconds(patience)
    while ContinuousClock.now < deadline {
        if let message = try socket.receiveWithUser() { return message }
        _ = try poller.wait(milliseconds: 100)
    }
    return nil
}

/// Asks again and again until the answer is yes, at most as long as `milliseconds`.
func becomes(within milliseconds: Int = patience, _ isTrue: () throws -> Bool) throws -> Bool {
    var pacer = Poller()
    let deadline = ContinuousClock.now + .milliseconds(milliseconds)
    while ContinuousClock.now < deadline {
        if try isTrue() { return true }
        _ = try pacer.wait(milliseconds: 5)
    }
    return false
}

/// The UTF-8 of a text, as a frame.
func bytes(_ text: String) -> [UInt8] { Array(text.utf8) }
