import EventSourcing
import TestKit

/// A client that sends one command after the other and repeats each until a response arrives.
final class Client {
    let number: Int
    private(set) var current: Command?
    private var attempt = 0
    private var left = 0
    private var founding: [(to: Int, verb: String, body: String)] = []
    /// The first response to each idempotency key.
    private(set) var answers: [String: Response] = [:]
    private var commands: [String: Command] = [:]
    unowned let simulation: SimulationRun

    init(_ number: Int, in simulation: SimulationRun, founding: [(to: Int, verb: String, body: String)] = []) {
        self.number = number
        self.simulation = simulation
        self.founding = founding
    }

    var isIdle: Bool { current == nil && left == 0 && founding.isEmpty }
    var done: [(command: Command, answer: Response)] {
        answers.compactMap { key, answer in commands[key].map { ($0, answer) } }
    }

    func begin(_ count: Int) {
        left = count
        if current == nil { simulation.plan(.client(number, attempt), in: Int64(simulation.random.next() % 50_000)) }
    }

    /// Sends the next command, or repeats the current one. A time-out that was planned for an earlier attempt is
    /// ignored.
    func act(_ planned: Int) {
        guard planned == attempt else { return }
        if current == nil { current = next() }
        guard let command = current else { return }
        attempt += 1
        simulation.tally.add(attempt == 1 ? "commands" : "repeated commands")
        simulation.send(.ask(command), from: number, to: command.to)
        simulation.plan(.client(number, attempt), in: 1_000_000)
    }

    private func next() -> Command? {
        if let first = founding.first {
            founding.removeFirst()
            return registered(simulation.script.command(first.to, first.verb, first.body, &simulation.random))
        }
        guard left > 0 else { return nil }
        left -= 1
        return registered(simulation.script.next(&simulation.random, at: simulation.now))
    }

    private func registered(_ command: Command) -> Command {
        commands[command.key] = command
        simulation.tally.add("commands")
        return command
    }

    /// Records a response. A different response to the same key is a violation.
    func receive(_ key: String, _ answer: Response) {
        if let before = answers[key] {
            if before != answer {
                simulation.addViolation("\(key) got the response \(before.status) and then another, \(answer.status)")
            }
            return
        }
        answers[key] = answer
        guard current?.key == key, let command = current else { return }
        current = nil
        attempt += 1
        // A client that is not sure repeats its request; it must receive the same response.
        if simulation.random.next() % 8 == 0 { simulation.send(.ask(command), from: number, to: command.to) }
        if !isIdle { simulation.plan(.client(number, attempt), in: Int64(simulation.random.next() % 100_000)) }
    }
}
