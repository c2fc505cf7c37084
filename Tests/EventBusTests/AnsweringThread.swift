import EventSourcing
import Foundation
import Synchronization
import ZeroMQ

@testable import EventBus

/// A request server that responds on a thread of its own.
final class AnsweringThread: Sendable {
    fileprivate let isStopping = Atomic(false)
    fileprivate let ended = DispatchGroup()

    func stop() {
        isStopping.store(true, ordering: .releasing)
        ended.wait()
    }
}

func answering(_ requestServer: sending RequestServer, _ answer: @escaping @Sendable (IncomingRequest) -> Response)
    -> AnsweringThread
{
    let control = AnsweringThread()
    let server = Mutex<RequestServer?>(requestServer)
    control.ended.enter()
    Thread {
        defer { control.ended.leave() }
        server.withLock { requestServer in
            serve(requestServer, control, answer)
            requestServer = nil
        }
    }.start()
    return control
}

private func serve(_ requestServer: RequestServer?, _ control: AnsweringThread, _ answer: (IncomingRequest) -> Response)
{
    guard let requestServer else { return }
    var poller = Poller()
    _ = poller.add(requestServer.socket)
    while !control.isStopping.load(ordering: .acquiring) {
        do {
            _ = try poller.wait(milliseconds: 5)
            for ask in try requestServer.receive(limit: 100) { try requestServer.answer(ask, answer(ask)) }
        } catch { return }
    }
}

/// A user name that another thread has recorded.
final class UserSeen: Sendable {
    private let state = Mutex<String?>(nil)
    var name: String? { state.withLock(\.self) }
    func set(_ name: String?) { state.withLock { $0 = name } }
}
