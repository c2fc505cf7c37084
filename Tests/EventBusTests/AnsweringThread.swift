import EventSourcing
import Foundation
import Synchronization
import ZeroMQ

@testable import EventBus

/// A desk whose asks are answered on a thread of its own.
final class AnsweringThread: Sendable {
    fileprivate let isStopping = Atomic(false)
    fileprivate let ended = DispatchGroup()

    func stop() {
        isStopping.store(true, ordering: .releasing)
        ended.wait()
    }
}

func answering(_ desk: sending Desk, _ answer: @escaping @Sendable (DeskAsk) -> Answer) -> AnsweringThread {
    let control = AnsweringThread()
    let room = Mutex<Desk?>(desk)
    control.ended.enter()
    Thread {
        defer { control.ended.leave() }
        room.withLock { desk in
            serve(desk, control, answer)
            desk = nil
        }
    }.start()
    return control
}

private func serve(_ desk: Desk?, _ control: AnsweringThread, _ answer: (DeskAsk) -> Answer) {
    guard let desk else { return }
    var poller = Poller()
    _ = poller.add(desk.socket)
    while !control.isStopping.load(ordering: .acquiring) {
        do {
            _ = try poller.wait(milliseconds: 5)
            for ask in try desk.receive(limit: 100) { try desk.answer(ask, answer(ask)) }
        } catch { return }
    }
}

/// A name that another thread saw.
final class UserSeen: Sendable {
    private let state = Mutex<String?>(nil)
    var name: String? { state.withLock(\.self) }
    func set(_ name: String?) { state.withLock { $0 = name } }
}
