/// A template of Home Assistant that names a member of a state: `{{ value_json.air['t'] | round(1) }}`.
///
/// Its length bounds the time to read it: each character is read once.
struct ValueTemplate {
    /// Filters that only round a value or change its type.
    private static let filters: Set<String> = ["round", "float", "int", "is_defined"]
    private var rest: Substring

    /// Returns the members that lead to the value, none for `{{ value }}`; nil for any other template.
    static func path(_ template: String) -> [String]? {
        var reader = ValueTemplate(rest: template[...])
        return reader.path()
    }

    private mutating func path() -> [String]? {
        guard skip("{{"), let members = members(), filtered(), skip("}}") else { return nil }
        skipSpaces()
        return rest.isEmpty ? members : nil
    }

    private mutating func members() -> [String]? {
        skipSpaces()
        let name = word()
        guard name == "value_json" else { return name == "value" ? [] : nil }
        var members: [String] = []
        while let opening = rest.first, opening == "." || opening == "[" {
            rest.removeFirst()
            guard opening == "." || take("'") else { return nil }
            let member = word()
            guard !member.isEmpty, opening == "." || (take("'") && take("]")) else { return nil }
            members.append(member)
        }
        return members.isEmpty ? nil : members
    }

    /// Reads all filters. Returns whether each is known and complete.
    private mutating func filtered() -> Bool {
        while skip("|") {
            skipSpaces()
            guard Self.filters.contains(word()) else { return false }
            if skip("(") {
                guard let end = rest.firstIndex(of: ")") else { return false }
                rest = rest[rest.index(after: end)...]
            }
        }
        return true
    }

    private mutating func word() -> String {
        let word = rest.prefix { $0.isLetter || $0.isNumber || $0 == "_" }
        rest = rest[word.endIndex...]
        return String(word)
    }

    private mutating func skipSpaces() { rest = rest.drop(while: \.isWhitespace) }

    /// Reads a text, also after spaces. Returns whether it is there.
    private mutating func skip(_ text: String) -> Bool {
        skipSpaces()
        return take(text)
    }

    private mutating func take(_ text: String) -> Bool {
        guard rest.hasPrefix(text) else { return false }
        rest = rest.dropFirst(text.count)
        return true
    }
}
