public import EventSourcing
public import JSON

/// The events of farms, plots, lots and labels.
public enum TraceEvent: EventFamily {
    case farmFounded(FarmFounded)
    case plotLaidOut(PlotLaidOut)
    case storeOpened(StoreOpened)
    case activityRecorded(ActivityRecorded)
    case activityCorrected(ActivityCorrected)
    case harvested(Harvested)
    case harvestCorrected(HarvestCorrected)
    case lotSplit(LotSplit)
    case packed(Packed)
    case stored(Stored)
    case handedOver(HandedOver)
    case lotRecalled(LotRecalled)
    case lotHeld(LotHeld)
    case lotReleased(LotReleased)
    case lotHoldLifted(LotHoldLifted)
    case labelKeyAdded(LabelKeyAdded)
    case labelKeyRevoked(LabelKeyRevoked)
    case labelsPrinted(LabelsPrinted)
    case passportIssued(PassportIssued)

    public init?(name: String, json: borrowing JSONValue) throws(JSONError) {
        switch name {
        case FarmFounded.name: self = .farmFounded(try FarmFounded(json: json))
        case PlotLaidOut.name: self = .plotLaidOut(try PlotLaidOut(json: json))
        case StoreOpened.name: self = .storeOpened(try StoreOpened(json: json))
        case ActivityRecorded.name: self = .activityRecorded(try ActivityRecorded(json: json))
        case ActivityCorrected.name: self = .activityCorrected(try ActivityCorrected(json: json))
        case Harvested.name: self = .harvested(try Harvested(json: json))
        case HarvestCorrected.name: self = .harvestCorrected(try HarvestCorrected(json: json))
        case LotSplit.name: self = .lotSplit(try LotSplit(json: json))
        case Packed.name: self = .packed(try Packed(json: json))
        case Stored.name: self = .stored(try Stored(json: json))
        case HandedOver.name: self = .handedOver(try HandedOver(json: json))
        case LotRecalled.name: self = .lotRecalled(try LotRecalled(json: json))
        case LotHeld.name: self = .lotHeld(try LotHeld(json: json))
        case LotReleased.name: self = .lotReleased(try LotReleased(json: json))
        case LotHoldLifted.name: self = .lotHoldLifted(try LotHoldLifted(json: json))
        case LabelKeyAdded.name: self = .labelKeyAdded(try LabelKeyAdded(json: json))
        case LabelKeyRevoked.name: self = .labelKeyRevoked(try LabelKeyRevoked(json: json))
        case LabelsPrinted.name: self = .labelsPrinted(try LabelsPrinted(json: json))
        case PassportIssued.name: self = .passportIssued(try PassportIssued(json: json))
        default: return nil
        }
    }

    public var event: any Event {
        switch self {
        case .farmFounded(let event): event
        case .plotLaidOut(let event): event
        case .storeOpened(let event): event
        case .activityRecorded(let event): event
        case .activityCorrected(let event): event
        case .harvested(let event): event
        case .harvestCorrected(let event): event
        case .lotSplit(let event): event
        case .packed(let event): event
        case .stored(let event): event
        case .handedOver(let event): event
        case .lotRecalled(let event): event
        case .lotHeld(let event): event
        case .lotReleased(let event): event
        case .lotHoldLifted(let event): event
        case .labelKeyAdded(let event): event
        case .labelKeyRevoked(let event): event
        case .labelsPrinted(let event): event
        case .passportIssued(let event): event
        }
    }

    public static let names = [
        FarmFounded.name, PlotLaidOut.name, StoreOpened.name, ActivityRecorded.name,
        ActivityCorrected.name, Harvested.name, HarvestCorrected.name, LotSplit.name, Packed.name,
        Stored.name, HandedOver.name, LotRecalled.name, LotHeld.name, LotReleased.name, LotHoldLifted.name,
        LabelKeyAdded.name, LabelKeyRevoked.name,
        LabelsPrinted.name, PassportIssued.name,
    ]

    public static let types: [any Event.Type] = [
        FarmFounded.self, PlotLaidOut.self, StoreOpened.self, ActivityRecorded.self,
        ActivityCorrected.self, Harvested.self, HarvestCorrected.self, LotSplit.self, Packed.self,
        Stored.self, HandedOver.self, LotRecalled.self, LotHeld.self, LotReleased.self, LotHoldLifted.self,
        LabelKeyAdded.self, LabelKeyRevoked.self,
        LabelsPrinted.self, PassportIssued.self,
    ]
}
