public import Vocabulary

/// The readings of a report that belong to one measuring point.
public struct ProbeReadings<Point> {
    /// The device, or the one probe of it that is bound on its own.
    public let device: DeviceID
    public let point: Point
    public let readings: [Reading]
}

extension Measured {
    /// Divides the readings among points. A probe that is bound on its own measures plain `temperature` at its point;
    /// every other reading belongs to the device's point, as `temperature-2` where a second probe made it.
    ///
    /// - Parameter point: where a device or probe measures; nil for one that is not bound.
    public func divided<Point>(_ point: (DeviceID) -> Point?) -> [ProbeReadings<Point>] {
        var parts: [ProbeReadings<Point>] = []
        var rest = readings
        let channels = Set(readings.map(\.quantity.probe.channel).filter { $0 > 1 })
        for channel in channels.sorted() {
            let probe = device.probe(channel)
            guard let point = point(probe) else { continue }
            parts.append(ProbeReadings(device: probe, point: point, readings: readings(of: channel)))
            rest.removeAll { $0.quantity.probe.channel == channel }
        }
        if !rest.isEmpty, let point = point(device) {
            parts.insert(ProbeReadings(device: device, point: point, readings: rest), at: 0)
        }
        return parts
    }

    /// The readings of one probe, named as if it were the only one.
    public func readings(of channel: Int) -> [Reading] {
        readings.filter { $0.quantity.probe.channel == channel }
            .map { Reading($0.quantity.probe.quantity, $0.value) }
    }
}
