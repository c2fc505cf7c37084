public import EventSourcing
public import JSON

/// The events of radio devices, their receivers and alarm rules.
public enum SensorsEvent: EventFamily {
    case measured(Measured)
    case rawReported(RawReported)
    case reportHeard(ReportHeard)
    case beaconHeard(BeaconHeard)
    case quarantined(Quarantined)
    case pointBound(PointBound)
    case ruleSet(RuleSet)
    case alarmRaised(AlarmRaised)
    case alarmCleared(AlarmCleared)
    case deviceIdentified(DeviceIdentified)
    case valuesRefused(ValuesRefused)
    case advertKept(AdvertKept)
    case advertDecoded(AdvertDecoded)

    public init?(name: String, json: borrowing JSONValue) throws(JSONError) {
        switch name {
        case Measured.name: self = .measured(try Measured(json: json))
        case RawReported.name: self = .rawReported(try RawReported(json: json))
        case ReportHeard.name: self = .reportHeard(try ReportHeard(json: json))
        case BeaconHeard.name: self = .beaconHeard(try BeaconHeard(json: json))
        case Quarantined.name: self = .quarantined(try Quarantined(json: json))
        case PointBound.name: self = .pointBound(try PointBound(json: json))
        case RuleSet.name: self = .ruleSet(try RuleSet(json: json))
        case AlarmRaised.name: self = .alarmRaised(try AlarmRaised(json: json))
        case AlarmCleared.name: self = .alarmCleared(try AlarmCleared(json: json))
        case DeviceIdentified.name: self = .deviceIdentified(try DeviceIdentified(json: json))
        case ValuesRefused.name: self = .valuesRefused(try ValuesRefused(json: json))
        case AdvertKept.name: self = .advertKept(try AdvertKept(json: json))
        case AdvertDecoded.name: self = .advertDecoded(try AdvertDecoded(json: json))
        default: return nil
        }
    }

    public var event: any Event {
        switch self {
        case .measured(let event): event
        case .rawReported(let event): event
        case .reportHeard(let event): event
        case .beaconHeard(let event): event
        case .quarantined(let event): event
        case .pointBound(let event): event
        case .ruleSet(let event): event
        case .alarmRaised(let event): event
        case .alarmCleared(let event): event
        case .deviceIdentified(let event): event
        case .valuesRefused(let event): event
        case .advertKept(let event): event
        case .advertDecoded(let event): event
        }
    }

    public static let names = [
        Measured.name, RawReported.name, BeaconHeard.name, Quarantined.name,
        PointBound.name, RuleSet.name, AlarmRaised.name, AlarmCleared.name, ReportHeard.name,
        DeviceIdentified.name, ValuesRefused.name, AdvertKept.name, AdvertDecoded.name,
    ]

    public static let types: [any Event.Type] = [
        Measured.self, RawReported.self, BeaconHeard.self, Quarantined.self,
        PointBound.self, RuleSet.self, AlarmRaised.self, AlarmCleared.self, ReportHeard.self,
        DeviceIdentified.self, ValuesRefused.self, AdvertKept.self, AdvertDecoded.self,
    ]
}
