import Radio
import Vocabulary

/// The devices of a coordinator that join, are interviewed, or are removed.
struct JoiningDevices {
    private var interviews: [UInt64: Interview] = [:]
    /// The devices that were interviewed.
    private var known: Set<UInt64> = []
    /// Devices that people removed, and those of them that can be requested to leave now.
    private var leaving: Set<UInt64> = []
    private var reachable: Set<UInt64> = []
    private var transaction: UInt8 = 0

    static let interviewsMax = 64

    /// Takes a device that was recorded before.
    mutating func learn(_ ieee: UInt64, isInterviewed: Bool, isLeaving: Bool) {
        if isInterviewed { known.insert(ieee) }
        if isLeaving { leaving.insert(ieee) }
    }

    /// Requests that a device leaves, now and whenever it sends something.
    mutating func remove(_ ieee: UInt64) {
        interviews[ieee] = nil
        leaving.insert(ieee)
        reachable.insert(ieee)
    }

    /// Takes the announcement of a device.
    ///
    /// - Parameter isInvited: Whether joining is permitted; a device that joins again then is interviewed again, and
    ///   one that was removed may stay.
    /// - Returns: Whether the device was removed, and stays.
    mutating func announced(_ ieee: UInt64, short: UInt16, isInvited: Bool, coordinator: UInt64) -> Bool {
        let isBack = isInvited && leaving.remove(ieee) != nil
        interviews[ieee]?.wake(short: short)
        if !leaving.contains(ieee), interviews[ieee] == nil, isInvited || !known.contains(ieee) {
            begin(ieee, short: short, coordinator: coordinator)
        }
        return isBack
    }

    private mutating func begin(_ ieee: UInt64, short: UInt16, coordinator: UInt64) {
        guard interviews.count < Self.interviewsMax else { return }
        interviews[ieee] = Interview(of: ieee, short: short, coordinator: coordinator)
    }

    mutating func left(_ ieee: UInt64) {
        interviews[ieee] = nil
        leaving.remove(ieee)
        reachable.remove(ieee)
        known.remove(ieee)
    }

    /// Notes that a device has sent something: its interview continues, or it is requested to leave.
    ///
    /// - Parameter isRecorded: Whether it joined here, so that an interview that a restart ended begins again.
    mutating func heard(_ ieee: UInt64, short: UInt16, isRecorded: Bool, coordinator: UInt64) {
        interviews[ieee]?.wake(short: short)
        if leaving.contains(ieee) {
            reachable.insert(ieee)
        } else if isRecorded, interviews[ieee] == nil, !known.contains(ieee) {
            begin(ieee, short: short, coordinator: coordinator)
        }
    }

    mutating func receive(_ response: DeviceResponse, transaction: UInt8, from ieee: UInt64) {
        _ = interviews[ieee]?.receive(response, transaction: transaction)
    }

    mutating func receive(_ frame: ZCLFrame, cluster: UInt16, endpoint: UInt8, from ieee: UInt64) {
        _ = interviews[ieee]?.receive(frame, cluster: cluster, endpoint: endpoint)
    }

    /// Returns the requests that are due, and the interviews that are over.
    mutating func due(
        at wall: Instant, short: (UInt64) -> UInt16?
    ) -> (orders: [ZNPMessage], changes: [NetworkChange]) {
        var (orders, changes): ([ZNPMessage], [NetworkChange]) = ([], [])
        for ieee in interviews.keys.sorted() {
            if let order = interviews[ieee]?.due(at: wall) { orders.append(.framework(.sendExtended(order))) }
            guard let result = interviews[ieee]?.result else { continue }
            interviews[ieee] = nil
            known.insert(ieee)
            changes.append(.interviewed(ieee: ieee, result))
        }
        for ieee in reachable.intersection(leaving).sorted() {
            guard let short = short(ieee) else { continue }
            transaction &+= 1
            let order = DeviceRequest.leave.message(to: short, ieee, transaction: transaction)
            orders.append(.framework(.sendExtended(order)))
            reachable.remove(ieee)
        }
        return (orders, changes)
    }

    /// Forgets all devices: a new network has none.
    mutating func clear() { self = JoiningDevices() }
}
