import JSON
import Vocabulary
import Wire

/// When each radio gateway posted last, and how far its clock is ahead, since this process started.
struct GatewayContacts {
    /// The posts of one gateway since this process started.
    struct Contact {
        fileprivate(set) var last: Instant
        fileprivate(set) var messages = 0
        /// Seconds by which the newest time in a post was ahead of this machine's clock, the largest of the last hour.
        ///
        /// A post of stored advertisements looks late, so the largest is nearest to the truth.
        fileprivate(set) var clockAhead: Double?
        fileprivate var measured: Instant?
        /// What a radio hub said about itself last, and when.
        fileprivate(set) var hub: (state: HubState, at: Instant)?
    }

    private static let clockSeconds = 3600.0

    private var contacts: [String: Contact] = [:]

    func contact(of gateway: String) -> Contact? { contacts[gateway] }

    /// Notes what a hub says about itself.
    mutating func note(_ hub: HubState, of gateway: String, at now: Instant) {
        contacts[gateway, default: Contact(last: now)].last = now
        contacts[gateway]?.hub = (hub, now)
    }

    /// Notes a photograph.
    mutating func notePhotograph(of gateway: String, at now: Instant) {
        contacts[gateway, default: Contact(last: now)].last = now
        contacts[gateway]?.messages += 1
    }

    /// Notes a post.
    ///
    /// - Parameter member: The member of the body that lists what was received.
    mutating func note(
        _ body: RequestBody, _ member: String, of gateway: String, at now: Instant
    ) throws(Problem) {
        let stamps: [Stamp] = try body.get(member)
        var contact = contacts[gateway] ?? Contact(last: now)
        contact.last = now
        contact.messages += stamps.count
        if let newest = stamps.compactMap(\.at).max() {
            let ahead = newest.seconds(since: now)
            let isOld = contact.measured.map { !(0..<Self.clockSeconds).contains(now.seconds(since: $0)) } ?? true
            if isOld || ahead > contact.clockAhead ?? -.infinity {
                contact.clockAhead = ahead
                contact.measured = now
            }
        }
        contacts[gateway] = contact
    }

    /// The time of one message.
    private struct Stamp: JSONReadable {
        let at: Instant?

        init(json: borrowing JSONValue) throws(JSONError) {
            at = try json.find("at")
        }
    }
}
