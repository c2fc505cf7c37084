package import Radio

/// What a hub's radio has received or noticed, whichever way it is driven.
package enum CentralEvent: Hashable, Sendable {
    case heard(Advertisement)
    case value(NotifiedValue)
    /// The radio scans.
    case started
    /// A device is set up; `profile` is the name of its profile.
    case connected(Peripheral, profile: String)
    case disconnected(Peripheral, reason: String)
    /// The radio does not work.
    case failed(String)
}
