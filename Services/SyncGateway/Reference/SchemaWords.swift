/// The shapes of requests and responses in words.
extension Shape {
    var described: [DescribedMember] {
        members.map { member in
            DescribedMember(
                name: member.name, shape: member.schema.present(isRequired: member.isRequired).words,
                isRequired: member.isRequired, documentation: member.documentation,
                members: member.schema.nested?.described ?? [])
        }
    }

    /// Whether it is an amount of money, which the reference describes once.
    fileprivate var isMoney: Bool { members.map(\.name) == ["minor", "currency"] }
}

extension APISchema {
    /// What a value may be.
    var words: String {
        switch self {
        case .text: "text"
        case .form(let form): "text: \(form.words)"
        case .integer: "whole number"
        case .whole(let range): "whole number from \(range.lowerBound) to \(range.upperBound)"
        case .number: "number"
        case .between(let range): "number from \(range.lowerBound) to \(range.upperBound)"
        case .flag: "`true` or `false`"
        case .time: "time"
        case .words(let words): (words.count == 1 ? "" : "one of ") + words.map { "`\($0)`" }.joined(separator: ", ")
        case .base64: "bytes in base64"
        case .list(let element): "list; each one: \(element.words)"
        case .few(let element, let count):
            "list of \(count.lowerBound) to \(count.upperBound); each one: \(element.words)"
        case .map(let element): "object with members of any name; each one: \(element.words)"
        case .object(let shape): shape.isMoney ? "amount of money" : "object"
        case .orNull(let schema): "\(schema.words), or `null`"
        case .anything: "any JSON"
        }
    }

    /// The shape of the objects in it that the words leave out; nil if there is none.
    var nested: Shape? {
        switch self {
        case .object(let shape): shape.isMoney || shape.members.isEmpty ? nil : shape
        case .list(let schema), .few(let schema, _), .map(let schema), .orNull(let schema): schema.nested
        case .text, .form, .integer, .whole, .number, .between, .flag, .time, .words, .base64, .anything: nil
        }
    }

    /// The schema without `null`, which every optional member of a request may be.
    fileprivate func present(isRequired: Bool) -> APISchema {
        if case .orNull(let schema) = self, !isRequired { schema } else { self }
    }
}
