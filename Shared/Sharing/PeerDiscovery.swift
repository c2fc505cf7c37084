import DBus
import System
package import Telemetry

/// Announces this node or client in its network, and finds others there: DNS-SD over mDNS (RFC 6762, 6763) by Avahi.
///
/// Without Avahi there is no discovery, and those that are named are used. It is used by one thread at a time.
package struct PeerDiscovery {
    /// What a call to Avahi is made for.
    private enum Purpose { case group, add, publish, update, browser, resolve, match }

    /// The connection to Avahi, from the first call until it ends.
    private struct Open {
        let bus: BusConnection
        var calls: [UInt64: Purpose] = [:]
        /// The path of the published group; nil until Avahi has made it.
        var group: String?
        var isPublished = false
    }

    private var announcement: Announcement
    private let log: Logger
    private var open: Open?
    private var pause = RetryPause(
        first: SharingLimits.pauseMicroseconds, longest: SharingLimits.longestPeerPauseMicroseconds)
    private var nextUpdate: Int64 = 0
    private var reason: String?

    package init(node: String, kind: PeerKind, port: Int, log: Logger) {
        announcement = Announcement(node: node, kind: kind, port: UInt16(clamping: port), popular: [])
        self.log = log
    }

    /// Readable when Avahi has said something; nil while there is no connection.
    package var descriptor: Int32? { open?.bus.descriptor }

    /// Announces what is requested most here; at most once in `SharingLimits.indexMicroseconds`.
    package mutating func announce(_ popular: [String], at now: Int64) {
        let next = Announcement(
            node: announcement.node, kind: announcement.kind, port: announcement.port, popular: popular)
        guard next != announcement, now >= nextUpdate else { return }
        nextUpdate = now + SharingLimits.indexMicroseconds
        announcement = next
        guard let group = open?.group, open?.isPublished == true else { return }
        send(.update, Avahi.update(next, in: group), at: now)
    }

    /// Opens the connection if it is due, and handles what has come. Returns the addresses of nodes that were found.
    package mutating func tend(at now: Int64) -> [String] {
        if open == nil {
            guard pause.isOver(at: now) else { return [] }
            start(at: now)
        }
        var found: [String] = []
        do throws(BusError) {
            for message in try open?.bus.receive() ?? [] {
                if let address = handle(message, at: now) { found.append(address) }
            }
        } catch {
            fail("the connection to the bus has ended: \(error)", at: now)
        }
        return found
    }

    private mutating func start(at now: Int64) {
        do throws(BusError) {
            open = Open(bus: try BusConnection())
        } catch {
            return fail("there is no system bus: \(error)", at: now)
        }
        send(.match, Avahi.match, at: now)
        send(.group, Avahi.newGroup, at: now)
        send(.browser, Avahi.newBrowser, at: now)
    }

    private mutating func send(_ purpose: Purpose, _ call: BusCall, at now: Int64) {
        do throws(BusError) {
            guard let number = try open?.bus.send(call) else { return }
            open?.calls[number] = purpose
        } catch {
            fail("Avahi cannot be called: \(error)", at: now)
        }
    }

    /// Handles a message. Returns the address of a node that was found.
    private mutating func handle(_ message: BusMessage, at now: Int64) -> String? {
        switch message.kind {
        case .signal:
            guard message.interface == Avahi.browser, message.member == "ItemNew",
                let call = Avahi.resolve(message.values)
            else { return nil }
            send(.resolve, call, at: now)
            return nil
        case .failure(let number, let name):
            switch open?.calls.removeValue(forKey: number) {
            // A node that has left meanwhile, and a record that is unchanged.
            case .resolve, .update, nil: return nil
            case .group, .add, .publish, .browser, .match: fail("Avahi is not here (\(name))", at: now)
            }
            return nil
        case .response(let number):
            guard let purpose = open?.calls.removeValue(forKey: number) else { return nil }
            return succeed(purpose, message.values, at: now)
        }
    }

    private mutating func succeed(_ purpose: Purpose, _ values: [BusValue], at now: Int64) -> String? {
        switch purpose {
        case .group:
            guard let group = values.first?.asText else { return nil }
            open?.group = group
            send(.add, Avahi.add(announcement, to: group), at: now)
        case .add:
            if let group = open?.group { send(.publish, Avahi.publish(group), at: now) }
        case .publish:
            open?.isPublished = true
            reason = nil
            pause.succeed()
            log.notice("announced", ["service.name": announcement.name])
        case .resolve: return Avahi.address(values, except: announcement.node)
        case .match, .browser, .update: break
        }
        return nil
    }

    private mutating func fail(_ reason: String, at now: Int64) {
        if self.reason != reason { log.notice("not announced", ["reason": reason]) }
        self.reason = reason
        open = nil
        pause.fail(at: now)
    }
}
