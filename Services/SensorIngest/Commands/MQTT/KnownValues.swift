import EventSourcing
import Radio
import Vocabulary

/// The newest recorded value of each quantity of a device, by which the values that its messages only repeat are
/// recognised.
struct KnownValues: Equatable {
    struct Value: Equatable {
        let value: Double
        /// The time for which the value was recorded last.
        let at: Instant
    }

    var values: [Quantity: Value] = [:]
    /// The time of measurement, or of reception if the messages have no time.
    var seen: Instant?

    /// Removes the values that are not to be recorded from a report. Remembers the others.
    ///
    /// A value that has changed is recorded, also by a message that is sent again. An unchanged one is recorded again
    /// if the device has reported since: alarms and the history need the values of quantities that stay the same. A
    /// newer `last_seen` shows it; without one, a live message is a report, and equal values are recorded every few
    /// minutes.
    ///
    /// - Parameters:
    ///   - seen: The time at which the device was seen last; nil if the message has none.
    ///   - now: The time of reception.
    mutating func suppress(_ report: inout Report, seen: Instant?, at now: Instant, isRedelivered: Bool) {
        let time = min(seen ?? now, now)
        let isNewer = seen.map { seen in self.seen.map { seen > $0 } ?? true }
        let pause: Double? =
            switch isNewer {
            case true?: MQTTLimits.burstSeconds
            case nil where !isRedelivered: MQTTLimits.unchangedSeconds
            default: nil
            }
        let before = values
        func isDue(_ reading: DecodedReading) -> Bool {
            guard let quantity = reading.quantity.of(channel: reading.channel), let known = before[quantity],
                known.value == reading.value
            else { return true }
            // A value of the future is from before the clock was set back.
            return pause.map { abs(time.seconds(since: known.at)) >= $0 } ?? false
        }
        report.readings = report.readings.filter(isDue)
        report.rejected = report.rejected.filter(isDue)
        for reading in report.readings + report.rejected {
            if let quantity = reading.quantity.of(channel: reading.channel) {
                values[quantity] = Value(value: reading.value, at: time)
            }
        }
        if isNewer == true { self.seen = seen }
    }
}

extension KnownValues {
    /// The recorded values of a device; nil if it has no report.
    init?(of device: DeviceID, in tables: any Tables) {
        guard let row = tables.get(DeviceRow.self, device.rawValue), let last = row.last else { return nil }
        seen = last
        let prefix = RecordedValueRow.prefix(device)
        for row in tables.scan(RecordedValueRow.self, prefix: prefix, after: nil, limit: SensorLimits.pageItems) {
            guard let quantity = Quantity(rawValue: String(row.key.dropFirst(prefix.count))) else { continue }
            values[quantity] = Value(value: row.value, at: row.at)
        }
    }
}
