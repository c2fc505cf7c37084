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
    case instant
    /// The number of an article.
    case gtin
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

    static let line = line(200)

    /// The same type, for a member that may be absent.
    public var optional: MemberType { .optional(self) }

    /// Whether a body without the member is accepted.
    public var isOptional: Bool {
        switch self {
        case .optional, .flag, .wholeDefaulting, .listOrEmpty: true
        case .name, .line, .lines, .link, .digest, .whole, .number, .instant, .gtin, .clock, .person, .money, .oneOf,
            .words, .record, .list:
            false
        }
    }
}
