/// Writes HTML. All text is escaped; a part between backticks is written as code.
struct HTMLText {
    private(set) var text = ""

    /// Writes an element with its content.
    mutating func element(
        _ name: String, _ attributes: KeyValuePairs<String, String> = [:], _ content: (inout HTMLText) -> Void
    ) {
        empty(name, attributes)
        content(&self)
        text += "</\(name)>"
    }

    /// Writes an element that contains text.
    mutating func element(_ name: String, _ attributes: KeyValuePairs<String, String>, _ words: String) {
        element(name, attributes) { $0.prose(words) }
    }

    /// Writes an element without attributes that contains text.
    mutating func element(_ name: String, _ words: String) { element(name, [:], words) }

    /// Writes text.
    mutating func prose(_ words: String) {
        for (index, part) in words.split(separator: "`", omittingEmptySubsequences: false).enumerated() {
            text += index.isMultiple(of: 2) ? Self.escaped(part) : "<code>\(Self.escaped(part))</code>"
        }
    }

    /// Writes text without a meaning of backticks, such as an example.
    mutating func verbatim(_ words: String) { text += Self.escaped(words) }

    /// Begins a document.
    mutating func doctype() { text += "<!doctype html>" }

    /// Writes an element that has neither content nor an end tag.
    mutating func empty(_ name: String, _ attributes: KeyValuePairs<String, String>) {
        text += "<\(name)"
        for (attribute, value) in attributes { text += " \(attribute)=\"\(Self.escaped(value))\"" }
        text += ">"
    }

    private static func escaped(_ words: some StringProtocol) -> String {
        var text = ""
        for character in words.unicodeScalars {
            switch character {
            case "&": text += "&amp;"
            case "<": text += "&lt;"
            case ">": text += "&gt;"
            case "\"": text += "&quot;"
            default: text.unicodeScalars.append(character)
            }
        }
        return text
    }
}
