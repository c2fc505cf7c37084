// How declared types are spelled in Swift.
extension FieldType {
    /// The type's name.
    var swift: String {
        switch self {
        case .value(let value): value.swift
        case .enumeration(let set): set.swift
        case .record(let record): record.swift
        case .list(let element), .listUnlessEmpty(let element): "[\(element.swift)]"
        case .optional(let type): "\(type.swift)?"
        case .integerUnlessZero: "Int"
        case .fields(let swift, _, _): swift
        }
    }

    /// The modules that declare the type's parts.
    var modules: Set<String> {
        switch self {
        case .value(let value): value.module.map { [$0] } ?? []
        case .enumeration, .integerUnlessZero: []
        case .record(let record): record.modules
        case .list(let element), .listUnlessEmpty(let element): element.modules
        case .optional(let type): type.modules
        case .fields(_, let fields, _): fields.reduce(into: []) { $0.formUnion($1.type.modules) }
        }
    }
}

extension RecordType {
    var modules: Set<String> { fields.reduce(into: []) { $0.formUnion($1.type.modules) } }
}

extension Field {
    /// The parameter of the initialiser.
    var parameter: String {
        switch type {
        case .optional: "\(name): \(type.swift) = nil"
        case .listUnlessEmpty: "\(name): \(type.swift) = []"
        case .integerUnlessZero: "\(name): \(type.swift) = 0"
        case .value, .enumeration, .record, .list, .fields: "\(name): \(type.swift)"
        }
    }

    /// The expression that reads the value from `members`.
    var reading: String {
        switch type {
        case .optional: "try members.find(\"\(name)\")"
        case .listUnlessEmpty: "try members.find(\"\(name)\") ?? []"
        case .integerUnlessZero: "try members.find(\"\(name)\") ?? 0"
        case .fields(let swift, _, _): "try \(swift)(json: json)"
        case .value, .enumeration, .record, .list: "try members.get(\"\(name)\")"
        }
    }

    /// The statement that writes the value to `json`.
    var writing: String {
        switch type {
        case .optional: "json.member(\"\(name)\", ifPresent: \(name))"
        case .listUnlessEmpty: "if !\(name).isEmpty { json.member(\"\(name)\", \(name)) }"
        case .integerUnlessZero: "if \(name) != 0 { json.member(\"\(name)\", \(name)) }"
        case .fields: "\(name).write(fields: &json)"
        case .value, .enumeration, .record, .list: "json.member(\"\(name)\", \(name))"
        }
    }
}

extension EventType {
    /// The case of the family's enumeration: `alarmRaised`.
    var swiftCase: String { swift.prefix(1).lowercased() + swift.dropFirst() }
}

extension Family {
    /// The name of the family's enumeration: `SensorsEvent`.
    var swift: String { name.prefix(1).uppercased() + name.dropFirst() + "Event" }

    /// The module of the generated types: the journal's own events are declared below all families.
    var module: String { name == Family.journal.name ? "EventSourcing" : "Events" }
}
