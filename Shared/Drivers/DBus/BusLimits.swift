/// The limits of messages of other programs on a bus.
package enum BusLimits {
    /// The most values of one message, containers included; a longer one is refused. BlueZ lists about 90 of each
    /// device that it has received lately.
    static let values = 262_144
    /// How deep containers may be nested (D-Bus specification: 64 in all).
    static let depth = 64
    /// The most messages that one call of `receive` returns, so that a busy bus cannot hold up a program.
    static let messages = 512
}
