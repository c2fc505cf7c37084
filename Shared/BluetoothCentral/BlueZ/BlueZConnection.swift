import DBus

/// One connection that BlueZ makes: the calls that set a device up for its profile, one at a time.
struct BlueZConnection: Sendable {
    /// What the connection waits for.
    enum Stage: Hashable, Sendable {
        case connecting, services, setUp, ready, closing
    }

    let peer: Peripheral
    let profile: GATTProfile
    var stage = Stage.connecting
    /// The moment by which the stage must have ended, in monotonic microseconds; nil for one without a limit.
    var deadline: Int64?
    /// Why the hub ends the connection.
    var reason = "the device is gone"
    /// The calls that are left.
    private var calls: [BusCall] = []

    init(_ peer: Peripheral, _ profile: GATTProfile, deadline: Int64) {
        (self.peer, self.profile, self.deadline) = (peer, profile, deadline)
    }

    /// Plans the calls for the profile. Returns what the device lacks, or nil if it has everything.
    ///
    /// Notifications are switched on before the sensor is, so that its first value is reported.
    mutating func plan(_ device: String, _ objects: BlueZObjects) -> String? {
        var writes: [BusCall] = []
        for service in profile.services {
            guard objects.hasService(service.uuid, device: device) else { return "it has no service \(service.uuid)" }
            for uuid in service.notified {
                guard let one = objects.characteristic(uuid, of: service.uuid, device: device), one.notifies else {
                    return "it has no characteristic \(uuid) that notifies"
                }
                calls.append(BusCall(BlueZName.service, one.path, BlueZName.characteristic, "StartNotify"))
            }
            for write in service.writes {
                guard let one = objects.characteristic(write.uuid, of: service.uuid, device: device) else {
                    return "it has no characteristic \(write.uuid)"
                }
                writes.append(
                    BusCall(
                        BlueZName.service, one.path, BlueZName.characteristic, "WriteValue",
                        [.bytes(write.value), .options([])]))
            }
        }
        calls += writes
        return nil
    }

    mutating func next() -> BusCall? { calls.isEmpty ? nil : calls.removeFirst() }
}
