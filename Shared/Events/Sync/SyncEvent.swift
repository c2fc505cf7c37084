public import EventSourcing
public import JSON

/// The events of accounts, access, outgoing messages and the start page.
public enum SyncEvent: EventFamily {
    case staffEnrolled(StaffEnrolled)
    case buyerEnrolled(BuyerEnrolled)
    case personErased(PersonErased)
    case sitePresented(SitePresented)
    case messageSent(MessageSent)
    case messageGaveUp(MessageGaveUp)
    case accessChanged(AccessChanged)
    case signInsCounted(SignInsCounted)

    public init?(name: String, json: borrowing JSONValue) throws(JSONError) {
        switch name {
        case StaffEnrolled.name: self = .staffEnrolled(try StaffEnrolled(json: json))
        case BuyerEnrolled.name: self = .buyerEnrolled(try BuyerEnrolled(json: json))
        case PersonErased.name: self = .personErased(try PersonErased(json: json))
        case SitePresented.name: self = .sitePresented(try SitePresented(json: json))
        case MessageSent.name: self = .messageSent(try MessageSent(json: json))
        case MessageGaveUp.name: self = .messageGaveUp(try MessageGaveUp(json: json))
        case AccessChanged.name: self = .accessChanged(try AccessChanged(json: json))
        case SignInsCounted.name: self = .signInsCounted(try SignInsCounted(json: json))
        default: return nil
        }
    }

    public var event: any Event {
        switch self {
        case .staffEnrolled(let event): event
        case .buyerEnrolled(let event): event
        case .personErased(let event): event
        case .sitePresented(let event): event
        case .messageSent(let event): event
        case .messageGaveUp(let event): event
        case .accessChanged(let event): event
        case .signInsCounted(let event): event
        }
    }

    public static let names = [
        StaffEnrolled.name, BuyerEnrolled.name, PersonErased.name, SitePresented.name,
        MessageSent.name, MessageGaveUp.name, AccessChanged.name, SignInsCounted.name,
    ]

    public static let types: [any Event.Type] = [
        StaffEnrolled.self, BuyerEnrolled.self, PersonErased.self, SitePresented.self, MessageSent.self,
        MessageGaveUp.self, AccessChanged.self, SignInsCounted.self,
    ]
}
