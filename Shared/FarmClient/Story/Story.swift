public import JSON
public import Vocabulary

/// The story of a lot, every check passed.
public struct Story: Sendable {
    public let lot: String
    /// 14 digits.
    public let gtin: String
    /// Of the one box that was asked for.
    public let serial: String?
    /// All of it, as `passport` of `farm.furrow.trace.passport-issued.v1` tells (`furrow schema`): what was done on the
    /// plot, what was measured there and in stores, through whose hands it went, alarms and recalls.
    public let passport: JSONAny
    /// When the farm wrote it down.
    public let issued: Instant
    /// Whether the farm's key has signed the label; false where the address carries no signature.
    public let isLabelSigned: Bool
    /// Since when the log is proven to have only grown: this device's visit before. Nil on the first, which believes
    /// the keys that it is shown, and without a network.
    public let provenSince: Instant?
    /// When the farm server sent it.
    public let asOf: Instant
    /// Nobody answered: it was kept here since an earlier visit, and checked again.
    public let isFromDevice: Bool
    /// The farm says now that measurements of this lot's places wait to be read.
    public let isWaiting: Bool

    public var product: String { text("product") ?? "" }
    public var farm: String { passport["farm"].flatMap { Self.text($0, "title") } ?? "" }
    /// Why it is not to be eaten; nil if it was not recalled.
    public var recalled: String? { text("recalled") }
    public var harvested: Instant? { text("harvested").flatMap { Instant($0) } }

    private func text(_ member: String) -> String? { Self.text(passport, member) }

    private static func text(_ json: JSONAny, _ member: String) -> String? {
        guard case .string(let text)? = json[member] else { return nil }
        return text
    }
}
