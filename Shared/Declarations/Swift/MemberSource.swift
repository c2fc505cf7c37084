// How the members of bodies are spelled in Swift.
extension MemberType {
    /// The type's name.
    var swift: String {
        switch self {
        case .name(let swift): swift
        case .line, .lines, .link, .digest, .clock, .words, .offerLines: "String"
        case .whole, .wholeDefaulting: "Int"
        case .number: "Double"
        case .flag, .requiredFlag: "Bool"
        case .instant: "Instant"
        case .gtin: "GTIN"
        case .lot: "LotID"
        case .place: "Place"
        case .device: "DeviceID"
        case .quantity: "Quantity"
        case .person: "PersonID"
        case .money: "Money"
        case .oneOf(let set): set.swift
        case .record(let record): record.swift
        case .list(let element, _), .listOrEmpty(let element, _): "[\(element.swift)]"
        case .optional(let type): "\(type.swift)?"
        case .change(let type): "Change<\(type.swift)>"
        case .anything: "JSONAny"
        }
    }

    /// The records of the type, inner ones first.
    var records: [BodyRecord] {
        switch self {
        case .record(let record): record.members.flatMap(\.type.records) + [record]
        case .list(let element, _), .listOrEmpty(let element, _): element.records
        case .optional(let type), .change(let type): type.records
        default: []
        }
    }

    /// The schema of the gateway.
    var schema: String {
        switch self {
        case .name: ".name"
        case .line(let most): ".form(.line(\(most)))"
        case .lines(let most): ".lines(\(most))"
        case .link(let most): ".form(.link(\(most)))"
        case .digest: ".form(.digest)"
        case .whole(let range), .wholeDefaulting(_, let range): ".whole(\(range.swift))"
        case .number(let range): ".between(\(range.lowerBound)...\(range.upperBound))"
        case .flag, .requiredFlag: ".flag"
        case .instant: ".time"
        case .gtin: ".form(.gtin)"
        case .lot: ".form(.lot)"
        case .place: ".form(.place)"
        case .device: ".form(.device)"
        case .quantity(among: []): ".words(Quantity.allCases.map(\\.rawValue))"
        case .quantity(let names): Self.words(names).schema
        case .clock: ".form(.clock)"
        case .person: ".form(.person)"
        case .money(let range): ".money(\(range.swift))"
        case .oneOf(let set): ".words(\(set.swift).allCases.map(\\.rawValue))"
        case .words(let words): ".words([\(words.map { "\"\($0)\"" }.joined(separator: ", "))])"
        case .record(let record): ".object(\(record.constant))"
        case .list(let element, let count): ".few(\(element.schema), \(count.swift))"
        case .listOrEmpty(let element, let most): ".few(\(element.schema), 0...\(most))"
        case .optional(let type), .change(let type): type.schema
        case .anything: ".anything"
        case .offerLines: ".form(.wishes)"
        }
    }
}

extension MemberType {
    /// The statement that checks `value`; empty if every value that can be read is within the limits.
    ///
    /// - Parameter isInside: whether the value is in a record: those of the body itself are checked when they are read.
    fileprivate func check(of value: String, isInside: Bool) -> String {
        switch self {
        case .whole(let range), .wholeDefaulting(_, let range):
            isInside ? "try RequestBody.check(\(value), \"\(value)\", in: \(range.swift))" : ""
        case .number(let range):
            isInside
                ? "try RequestBody.check(\(value), \"\(value)\", in: \(range.lowerBound)...\(range.upperBound))" : ""
        case .money(let range):
            isInside ? "try RequestBody.check(\(value), \"\(value)\", in: \(range.swift))" : ""
        case .record(let record): record.isCheckedByRules ? "" : "try \(value).checkLimits()"
        case .optional(let type): type.guarded(value, isInside, "if let \(value)")
        case .list(let element, let count):
            [
                isInside ? "try RequestBody.check(\(value), \"\(value)\", count: \(count.swift))" : "",
                element.guarded("one", true, "for one in \(value)").replacing("\"one\"", with: "\"\(value)\""),
            ].filter { !$0.isEmpty }.joined(separator: "\n")
        case .listOrEmpty(let element, let most): Self.list(element, 0...most).check(of: value, isInside: isInside)
        case .name, .line, .lines, .link, .digest, .flag, .requiredFlag, .instant, .gtin, .lot, .place, .device,
            .quantity, .clock, .person, .oneOf, .words, .change, .anything, .offerLines:
            ""
        }
    }

    private func guarded(_ value: String, _ isInside: Bool, _ opening: String) -> String {
        let check = check(of: value, isInside: isInside)
        return check.isEmpty ? "" : "\(opening) { \(check) }"
    }
}

extension Member {
    /// The expression that reads the value from `body`.
    var reading: String {
        switch type {
        case .name("String"): "try body.name(\"\(name)\")"
        case .name(let swift): "\(swift)(try body.name(\"\(name)\"))"
        case .line(let most), .lines(let most), .link(let most): "try body.text(\"\(name)\", limit: \(most))"
        case .whole(let range): "try body.whole(\"\(name)\", in: \(range.swift))"
        case .wholeDefaulting(let value, let range):
            "try body.optionalWhole(\"\(name)\", in: \(range.swift)) ?? \(value)"
        case .money(let range): "try body.money(\"\(name)\", in: \(range.swift))"
        case .number(let range): "try body.number(\"\(name)\", in: \(range.lowerBound)...\(range.upperBound))"
        case .flag: "try body.find(\"\(name)\") ?? false"
        case .words(let words): "try body.word(\"\(name)\", of: \(words))"
        case .listOrEmpty(_, let most): "try body.optionalList(\"\(name)\", count: 0...\(most)) ?? []"
        case .list(_, let count): "try body.list(\"\(name)\", count: \(count.swift))"
        case .offerLines: "try body.text(\"\(name)\")"
        case .digest: "try body.digest(\"\(name)\")"
        case .lot: "try body.lot(\"\(name)\")"
        case .requiredFlag, .instant, .gtin, .place, .device, .quantity, .clock, .person, .oneOf, .record, .anything:
            "try body.get(\"\(name)\")"
        case .optional(let type): Self.reading(name, ifPresent: type)
        case .change(let type): "try body.change(\"\(name)\", \(Self.reading(name, ifPresent: type)))"
        }
    }

    private static func reading(_ name: String, ifPresent type: MemberType) -> String {
        switch type {
        case .name(let swift): "try body.optionalName(\"\(name)\").map { \(swift)($0) }"
        case .line(let most), .lines(let most): "try body.optionalText(\"\(name)\", limit: \(most))"
        case .link(let most): "try body.optionalLink(\"\(name)\", limit: \(most))"
        case .digest: "try body.optionalDigest(\"\(name)\")"
        case .whole(let range), .wholeDefaulting(_, let range):
            "try body.optionalWhole(\"\(name)\", in: \(range.swift))"
        case .number(let range): "try body.optionalNumber(\"\(name)\", in: \(range.lowerBound)...\(range.upperBound))"
        case .money(let range): "try body.optionalMoney(\"\(name)\", in: \(range.swift))"
        case .list(_, let count): "try body.optionalList(\"\(name)\", count: \(count.swift))"
        case .listOrEmpty(_, let most): "try body.optionalList(\"\(name)\", count: 0...\(most))"
        case .lot: "try body.optionalLot(\"\(name)\")"
        case .flag, .requiredFlag, .instant, .gtin, .place, .device, .quantity, .clock, .person, .oneOf, .words,
            .record, .optional, .change, .anything, .offerLines:
            "try body.find(\"\(name)\")"
        }
    }

    /// The statements that throw a `Problem` if a value inside a record is outside its limits.
    var checks: [String] {
        let check = type.check(of: name, isInside: true)
        return check.isEmpty ? [] : [check]
    }

    /// The statement that checks the records of a member, which are read without their limits; nil without records.
    var checkOfRecords: String? {
        let check = type.check(of: name, isInside: false)
        return check.isEmpty ? nil : check
    }

    /// The expression that reads the value from the `members` of an object inside the body.
    var readingOfRecord: String {
        switch type {
        case .listOrEmpty: "try members.find(\"\(name)\") ?? []"
        case .flag: "try members.find(\"\(name)\") ?? false"
        case .wholeDefaulting(let value, _): "try members.find(\"\(name)\") ?? \(value)"
        case .optional: "try members.find(\"\(name)\")"
        default: "try members.get(\"\(name)\")"
        }
    }
}

extension String {
    /// The text as a literal of Swift.
    var literal: String {
        let escaped = split(separator: "\n").joined(separator: " ").replacing("\\", with: "\\\\")
        return "\"\(escaped.replacing("\"", with: "\\\""))\""
    }
}

extension ClosedRange<Int> {
    /// The range as a literal of Swift.
    var swift: String { "\(lowerBound.grouped)...\(upperBound.grouped)" }
}

extension Int {
    /// The number with its digits in groups, as a literal of Swift: `1_000_000`.
    fileprivate var grouped: String {
        let digits = String(magnitude)
        guard digits.count > 4 else { return String(self) }
        var groups: [Substring] = []
        var rest = digits[...]
        while rest.count > 3 {
            groups.insert(rest.suffix(3), at: 0)
            rest = rest.dropLast(3)
        }
        return (self < 0 ? "-" : "") + ([rest] + groups).joined(separator: "_")
    }
}
