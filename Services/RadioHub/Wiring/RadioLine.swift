import BluetoothCentral

/// The way to a Bluetooth controller, with the session on it. One that fails is opened again after a pause.
protocol RadioLine {
    /// Readable when there is something to receive; nil while there is no line.
    var descriptor: Int32? { get }
    /// Why there is no line, or nil if the controller scans.
    var trouble: String? { get }
    /// The devices that are set up.
    var connected: [Peripheral] { get }

    /// Opens the line if its pause is over, and handles the passage of time; to be called about every second.
    mutating func tick(at now: Int64) -> [CentralEvent]
    /// Handles what has come.
    mutating func receive(at now: Int64) -> [CentralEvent]
    /// Ends what would go on without the hub.
    mutating func end(at now: Int64)
}
