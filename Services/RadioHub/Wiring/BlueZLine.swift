import BluetoothCentral
import DBus
import System

/// The way to a controller through BlueZ on the system bus.
struct BlueZLine: RadioLine {
    private struct Open {
        let bus: BusConnection
        var session: BlueZSession
        /// The calls without a response: the session's numbers by those of the bus.
        var calls: [UInt64: Int] = [:]
    }

    private let adapter: String?
    private let profiles: [GATTProfile]
    private var open: Open?
    private var state = LineState(trouble: "BlueZ has not responded yet")

    /// - Parameter adapter: such as `hci0`; nil for the first one.
    init(adapter: String?, profiles: [GATTProfile]) {
        (self.adapter, self.profiles) = (adapter, profiles)
    }

    var descriptor: Int32? { open?.bus.descriptor }

    var trouble: String? { state.trouble }

    var connected: [Peripheral] { open?.session.connected ?? [] }

    mutating func tick(at now: Int64) -> [CentralEvent] {
        if open == nil, state.mayOpen(at: now) { return start(at: now) }
        // The bus may have read more than it returned.
        return receive(at: now) + perform(open?.session.tick(at: now) ?? [], at: now)
    }

    mutating func receive(at now: Int64) -> [CentralEvent] {
        guard let bus = open?.bus else { return [] }
        var events: [CentralEvent] = []
        do throws(BusError) {
            for message in try bus.receive() {
                switch message.kind {
                case .signal: events += perform(open?.session.receive(message, at: now) ?? [], at: now)
                case .response(let number): events += respond(number, message.values, failure: nil, at: now)
                case .failure(let number, let name): events += respond(number, [], failure: name, at: now)
                }
            }
        } catch {
            events += fail("the connection to the bus has ended: \(error)", at: now)
        }
        return events
    }

    mutating func end(at now: Int64) {
        _ = perform(open?.session.end(at: now) ?? [], at: now)
        open = nil
    }

    private mutating func respond(
        _ number: UInt64, _ values: [BusValue], failure: String?, at now: Int64
    ) -> [CentralEvent] {
        guard let call = open?.calls.removeValue(forKey: number) else { return [] }
        return perform(open?.session.respond(call, values, failure: failure, at: now) ?? [], at: now)
    }

    private mutating func start(at now: Int64) -> [CentralEvent] {
        do throws(BusError) {
            open = Open(bus: try BusConnection(), session: BlueZSession(profiles, adapter: adapter))
        } catch {
            return fail("there is no system bus to reach BlueZ by: \(error)", at: now)
        }
        return perform(open?.session.begin(at: now) ?? [], at: now)
    }

    /// Makes the calls, and returns the events.
    private mutating func perform(_ effects: [BlueZSession.Effect], at now: Int64) -> [CentralEvent] {
        var events: [CentralEvent] = []
        for effect in effects {
            switch effect {
            case .call(let number, let call):
                do throws(BusError) {
                    guard let sent = try open?.bus.send(call) else { continue }
                    open?.calls[sent] = number
                } catch {
                    return events + fail("BlueZ cannot be called: \(error)", at: now)
                }
            case .event(.failed(let reason)): return events + fail(reason, at: now)
            case .event(let event):
                state.note(event)
                events.append(event)
            }
        }
        return events
    }

    /// Closes the connection to the bus, with which the scan ends; devices stay connected for the next session.
    private mutating func fail(_ reason: String, at now: Int64) -> [CentralEvent] {
        defer { open = nil }
        return state.fail(reason, connected, at: now)
    }
}
