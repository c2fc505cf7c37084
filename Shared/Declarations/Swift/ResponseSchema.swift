// How the fields of responses are spelled as the gateway's schemas.
extension RecordType {
    /// The name of the gateway's shape.
    var shapeName: String { swift.replacing(".", with: "").lowerFirst }
}

extension Field {
    /// The field, or those of another type that stand in its place.
    var flat: [Field] {
        if case .fields(_, let fields, _) = type { fields.flatMap(\.flat) } else { [self] }
    }
}

extension FieldType {
    /// The schema of the value; of an optional one, that of its value.
    var responseSchema: String {
        switch self {
        case .value(let value): value.responseSchema
        case .enumeration(let set) where set.isOfEvents: ".words(\(set.swift).allCases.map(\\.rawValue))"
        case .enumeration(let set): ".words(\(set.wordsName))"
        case .record(let record): ".object(.\(record.shapeName))"
        case .list(let element), .listUnlessEmpty(let element): ".list(\(element.responseSchema))"
        case .optional(let type): type.responseSchema
        case .integerUnlessZero: ".integer"
        case .fields: ".anything"
        }
    }
}

extension EnumType {
    /// The name of the gateway's constant with its texts.
    var wordsName: String { "\(swift.lowerFirst)Words" }

    /// Whether its Swift type is one of the events'.
    var isOfEvents: Bool { Family.all.contains { $0.enums.contains { $0.swift == swift } } }
}

extension ValueType {
    fileprivate var responseSchema: String {
        switch swift {
        case "Bool": ".flag"
        case "Int", "Int64", "UInt64", "Position": ".integer"
        case "Double": ".number"
        case "Instant": ".time"
        case "Money": "Routes.money"
        case "JSONAny", "Reading": ".anything"
        case "DeviceID", "PersonID": ".text"
        case _ where swift.hasSuffix("ID"): ".name"
        default: ".text"
        }
    }
}
