import Foundation
import Testing
import ZeroMQ

/// The endpoints where two sockets of a test connect, one for each transport.
enum Meeting: String, CaseIterable, Sendable {
    case ipc, tcp, inproc

    /// Returns an endpoint to bind that no other test uses.
    var endpoint: String {
        switch self {
        case .ipc: "ipc://*"
        case .tcp: "tcp://127.0.0.1:*"
        case .inproc: "inproc://\(UUID().uuidString)"
        }
    }
}

/// The longest time that a test waits for an expected message.
let patience = 10_000

/// Waits for the next message and returns it; fails the test if none arrives.
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

/// Repeats a check until it is true, for at most `milliseconds`.
func becomes(within milliseconds: Int = patience, _ isTrue: () throws -> Bool) throws -> Bool {
    var pacer = Poller()
    let deadline = ContinuousClock.now + .milliseconds(milliseconds)
    while ContinuousClock.now < deadline {
        if try isTrue() { return true }
        _ = try pacer.wait(milliseconds: 5)
    }
    return false
}

/// Returns the UTF-8 of a text, as a frame.
func bytes(_ text: String) -> [UInt8] { Array(text.utf8) }
