import EventSourcing
import Events
import JSON
import Vocabulary

/// What a sealed run holds that is old enough to be let go.
struct OldReports: Sendable, Equatable {
    var positions: ClosedRange<Position>
    var reports: Int
    /// When the earliest and the latest of these happened; nil where there is none.
    var from: Instant?
    var to: Instant?
}

extension OldReports {
    /// Adds an event of the run. What happened later, by a clock that was ahead, is not old: with it all that is known
    /// up to then would be forgotten.
    mutating func add(_ told: RecordedEvent, before: Instant) {
        let time = told.envelope.time
        guard told.isRawReport, time < before else { return }
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

/// What of old reports is part of a story, as the ledger says; what lies beside it and decides what counts in it, too.
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
                // A report holds all probes of its device, whichever of them is part of the story.
                for device in one.devices { times[device.device, default: []].append(one.span.from...one.span.to) }
            }
        } catch { return nil }
    }

    /// When it happened, if it is a raw report and in no story.
    func age(_ told: RecordedEvent) -> Instant? {
        guard !isAll, let device = told.reportingDevice else { return nil }
        let time = told.envelope.time
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
    /// Whose raw report it is; nil for every other fact.
    fileprivate var reportingDevice: DeviceID? {
        guard case .sensors(let fact) = fact else { return nil }
        return switch fact {
        case .measured(let report): report.device
        case .rawReported(let report): report.device
        case .reportHeard(let report): report.device
        case .beaconHeard(let report): report.device
        case .valuesRefused(let report): report.device
        case .advertKept(let report): report.device
        case .quarantined, .pointBound, .ruleSet, .alarmRaised, .alarmCleared, .deviceIdentified, .advertDecoded: nil
        }
    }

    fileprivate var isRawReport: Bool { reportingDevice != nil }
}
