/// The type of a member of a body, with the limits that the gateway checks.
public indirect enum MemberType: Sendable {
    /// An identifier of 1 to 40 letters, digits, hyphens or underscores; `swift` is its type.
    case name(_ swift: String)
    /// One line of text; an empty one counts as absent.
    case line(_ most: Int)
    /// Text of several lines; an empty one counts as absent.
    case lines(_ most: Int)
    /// The address of a web page; an empty one counts as absent.
    case link(_ most: Int)
    /// The SHA-256 of a picture in hexadecimal.
    case digest
    case whole(ClosedRange<Int>)
    case number(ClosedRange<Double>)
    /// True or false; false if absent.
    case flag
    /// True or false; required.
    case requiredFlag
    case instant
    /// The number of an article.
    case gtin
    /// The number of a lot, as growers write it: up to 20 upper case letters, digits and hyphens.
    case lot
    /// A plot or store: `plot/north`.
    case place
    /// A device, by the name under which it was heard.
    case device
    /// What is measured: every quantity, or one of those that are named.
    case quantity(among: [String])
    /// A time of the day: `21:30`.
    case clock
    /// The number that stands for a person.
    case person
    /// An amount whose number of minor units lies in the range.
    case money(ClosedRange<Int>)
    /// One of the texts that events have, too.
    case oneOf(EnumType)
    /// One of these texts.
    case words([String])
    case record(BodyRecord)
    /// A list with a number of elements in the range.
    case list(MemberType, ClosedRange<Int>)
    /// A list that is empty if absent.
    case listOrEmpty(MemberType, atMost: Int)
    /// A value that may be absent.
    case optional(MemberType)
    /// A whole number with a value that it has if absent.
    case wholeDefaulting(to: Int, ClosedRange<Int>)
    /// A value that stays as it was if absent, and is removed if null.
    case change(of: MemberType)
    /// Any JSON; the service reads it.
    case anything
    /// Offers, each with a number of units: `carrots:2,eggs:1`.
    case offerLines

    static let line = line(200)
    static let quantity = quantity(among: [])

    /// The same type, for a member that may be absent.
    public var optional: MemberType { .optional(self) }

    /// Whether a body without the member is accepted.
    public var isOptional: Bool {
        switch self {
        case .optional, .flag, .wholeDefaulting, .listOrEmpty, .change: true
        case .name, .line, .lines, .link, .digest, .whole, .number, .requiredFlag, .instant, .gtin, .lot, .place,
            .device, .quantity, .clock, .person, .money, .oneOf, .words, .record, .list, .anything, .offerLines:
            false
        }
    }
}
