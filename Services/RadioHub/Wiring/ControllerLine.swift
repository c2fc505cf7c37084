import BluetoothCentral
import System
import Vocabulary

/// The line to a Bluetooth controller, and the session on it. A line that fails is opened again after a pause.
struct ControllerLine: RadioLine {
    private struct Open {
        let stream: ByteStream
        var session: CentralSession
    }

    private let path: String
    private let profiles: [GATTProfile]
    private var open: Open?
    private var state = LineState(trouble: "the controller has not started")

    init(path: String, profiles: [GATTProfile]) {
        self.path = path
        self.profiles = profiles
    }

    /// Readable when the controller has sent something; nil while there is no line.
    var descriptor: Int32? { open?.stream.descriptor }

    var trouble: String? { state.trouble }

    var connected: [Peripheral] { open?.session.connected ?? [] }

    /// Opens the line if its pause is over, and handles the passage of time; to be called about every second.
    mutating func tick(at now: Int64) -> [CentralEvent] {
        if open == nil, state.mayOpen(at: now) { return start(at: now) }
        return perform(open?.session.tick(at: now) ?? [], at: now)
    }

    /// Handles what the controller has sent.
    mutating func receive(at now: Int64) -> [CentralEvent] {
        guard let stream = open?.stream else { return [] }
        do throws(SystemError) {
            let bytes = try stream.read()
            return perform(open?.session.receive(bytes, at: now) ?? [], at: now)
        } catch {
            return fail("the line to the controller has ended: \(error)", at: now)
        }
    }

    private mutating func start(at now: Int64) -> [CentralEvent] {
        do throws(SystemError) {
            open = Open(stream: try ByteStream(path: path), session: CentralSession(profiles))
        } catch {
            return fail("\(error)", at: now)
        }
        return perform(open?.session.begin(at: now) ?? [], at: now)
    }

    /// Sends what has to be sent, and returns the events.
    private mutating func perform(_ effects: [CentralSession.Effect], at now: Int64) -> [CentralEvent] {
        var events: [CentralEvent] = []
        for effect in effects {
            switch effect {
            case .send(let bytes):
                do throws(SystemError) {
                    try open?.stream.write(bytes)
                } catch {
                    return events + fail("the controller accepts nothing: \(error)", at: now)
                }
            case .event(.failed(let reason)): return events + fail(reason, at: now)
            case .event(let event):
                state.note(event)
                events.append(event)
            }
        }
        return events
    }

    /// Does nothing: the next session resets the controller.
    mutating func end(at now: Int64) {}

    /// Closes the line. Connections end with it: a new session resets the controller.
    private mutating func fail(_ reason: String, at now: Int64) -> [CentralEvent] {
        defer { open = nil }
        return state.fail(reason, connected, at: now)
    }
}
