import EventSourcing
import Events
import JSON
import Vocabulary

/// The raw reports of a sealed segment that are old enough to be pruned.
struct OldReports: Sendable, Equatable {
    var positions: ClosedRange<Position>
    var reports: Int
    /// The times of the earliest and the latest of these reports; nil if there are none.
    var from: Instant?
    var to: Instant?
}

extension OldReports {
    /// Counts an event of the segment if it is a raw report from before a time.
    ///
    /// A report with a later time, stamped by a clock that was ahead, does not count. Pruning it would discard
    /// everything known up to that time.
    mutating func add(_ recorded: RecordedEvent, before: Instant) {
        let time = recorded.envelope.time
        guard recorded.isRawReport, time < before else { return }
        reports += 1
        from = min(from ?? time, time)
        to = max(to ?? time, time)
    }

    func spans(_ time: Instant) -> Bool {
        guard let from, let to else { return false }
        return from <= time && time <= to
    }

    var bytes: [UInt8] {
        var json = JSONWriter()
        json.object { json in
            json.field("first", positions.lowerBound)
            json.field("last", positions.upperBound)
            json.field("reports", reports)
            json.field("from", ifPresent: from)
            json.field("to", ifPresent: to)
        }
        return json.bytes
    }

    init?(_ bytes: [UInt8]) {
        guard !bytes.isEmpty else { return nil }
        do throws(JSONError) {
            let json = try JSONValue.parse(bytes)
            let (first, last): (Position, Position) = (try json.get("first"), try json.get("last"))
            guard first <= last else { return nil }
            self.init(
                positions: first...last, reports: try json.get("reports"), from: try json.find("from"),
                to: try json.find("to"))
        } catch { return nil }
    }
}

/// The old reports that trace-ledger wants retained: those in a lot's story, and neighbours that decide which of them
/// count.
struct RetainedReports: Sendable {
    var spans: [RetainedInterval] = []
    private var times: [DeviceID: [ClosedRange<Instant>]] = [:]
    private var isAll = false

    init() {}

    init?(_ answer: [UInt8]) {
        do throws(JSONError) {
            let json = try JSONValue.parse(answer)
            isAll = try json.find("all") ?? false
            guard !isAll else { return }
            let kept: [KeptDevices] = try json.get("kept")
            for one in kept where one.span.from <= one.span.to {
                spans.append(one.span)
                // A report contains all probes of its device, so it is retained if any of them is part of a story.
                for device in one.devices { times[device.device, default: []].append(one.span.from...one.span.to) }
            }
        } catch { return nil }
    }

    /// Returns the time of an event that may be pruned: a raw report in no story. Nil for all others.
    func age(_ recorded: RecordedEvent) -> Instant? {
        guard !isAll, let device = recorded.reportingDevice else { return nil }
        let time = recorded.envelope.time
        return times[device]?.contains { $0.contains(time) } == true ? nil : time
    }
}

private struct KeptDevices: JSONReadable {
    let span: RetainedInterval
    let devices: [DeviceID]

    init(json: borrowing JSONValue) throws(JSONError) {
        span = try RetainedInterval(json: json)
        devices = try json.get("devices")
    }
}

extension RecordedEvent {
    /// The device of a raw report; nil for every other event.
    fileprivate var reportingDevice: DeviceID? {
        guard case .sensors(let fact) = fact else { return nil }
        return switch fact {
        case .measured(let report): report.device
        case .rawReported(let report): report.device
        case .reportHeard(let report): report.device
        case .beaconHeard(let report): report.device
        case .valuesRefused(let report): report.device
        case .advertKept(let report): report.device
        case .quarantined, .pointBound, .ruleSet, .alarmRaised, .alarmCleared, .deviceIdentified, .advertDecoded,
            .alarmNotificationRequested, .alarmAcknowledged, .alarmShelved, .onCallSet, .deviceCalibrated,
            .pointRetired, .networkFormed, .joiningPermitted, .deviceJoined, .deviceInterviewed, .deviceRemoved,
            .deviceLeft, .beaconRegionSet, .beaconRegionRemoved, .beaconRegionEntered, .beaconRegionLeft:
            nil
        }
    }

    fileprivate var isRawReport: Bool { reportingDevice != nil }
}
