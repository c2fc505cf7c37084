import EventSourcing
import TestKit

/// Somebody who asks for one thing after the other, each until it is answered.
final class Client {
    let number: Int
    private(set) var current: Command?
    private var attempt = 0
    private var left = 0
    private var founding: [(to: Int, verb: String, body: String)] = []
    /// What was answered, by key.
    private(set) var answers: [String: Response] = [:]
    private var commands: [String: Command] = [:]
    unowned let world: SimulationRun

    init(_ number: Int, in world: SimulationRun, founding: [(to: Int, verb: String, body: String)] = []) {
        self.number = number
        self.world = world
        self.founding = founding
    }

    var isIdle: Bool { current == nil && left == 0 && founding.isEmpty }
    var done: [(command: Command, answer: Response)] {
        answers.compactMap { key, answer in commands[key].map { ($0, answer) } }
    }

    func begin(_ count: Int) {
        left = count
        if current == nil { world.plan(.client(number, attempt), in: Int64(world.random.next() % 50_000)) }
    }

    /// It is time to ask: for the next thing, or for the same again.
    func act(_ planned: Int) {
        guard planned == attempt else { return }
        if current == nil { current = next() }
        guard let command = current else { return }
        attempt += 1
        world.tally.add(attempt == 1 ? "commands" : "asks")
        world.send(.ask(command), from: number, to: command.to)
        world.plan(.client(number, attempt), in: 1_000_000)
    }

    private func next() -> Command? {
        if let first = founding.first {
            founding.removeFirst()
            return remembered(world.script.command(first.to, first.verb, first.body, &world.random))
        }
        guard left > 0 else { return nil }
        left -= 1
        return remembered(world.script.next(&world.random, at: world.now))
    }

    private func remembered(_ command: Command) -> Command {
        commands[command.key] = command
        world.tally.add("commands")
        return command
    }

    func hear(_ key: String, _ answer: Response) {
        if let before = answers[key] {
            if before != answer {
                world.complain("\(key) was answered \(before.status) and then \(answer.status), otherwise")
            }
            return
        }
        answers[key] = answer
        guard current?.key == key, let command = current else { return }
        current = nil
        attempt += 1
        // Somebody who is not sure asks again, and has to be told the same.
        if world.random.next() % 8 == 0 { world.send(.ask(command), from: number, to: command.to) }
        if !isIdle { world.plan(.client(number, attempt), in: Int64(world.random.next() % 100_000)) }
    }
}
