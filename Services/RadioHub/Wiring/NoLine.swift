import BluetoothCentral

/// The line of a hub without a radio.
struct NoLine: RadioLine {
    let descriptor: Int32? = nil
    let trouble: String? = nil
    let connected: [Peripheral] = []

    func tick(at now: Int64) -> [CentralEvent] { [] }
    func receive(at now: Int64) -> [CentralEvent] { [] }
    func end(at now: Int64) {}
}
