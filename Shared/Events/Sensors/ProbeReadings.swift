public import Vocabulary

/// The readings of a report that belong to one measuring point.
public struct ProbeReadings<Point> {
    /// The device, or its probe if that has a point of its own.
    public let device: DeviceID
    public let point: Point
    public let readings: [Reading]
}

extension Measured {
    /// Divides the readings among measuring points.
    ///
    /// A probe with its own point measures plain `temperature` there. All other readings belong to the device's point,
    /// as `temperature-2` for a second probe.
    ///
    /// - Parameter point: returns the point of a device or probe; nil if it has none.
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

    /// Returns the readings of one probe, named as if it were the only one.
    public func readings(of channel: Int) -> [Reading] {
        readings.filter { $0.quantity.probe.channel == channel }
            .map { Reading($0.quantity.probe.quantity, $0.value) }
    }
}
