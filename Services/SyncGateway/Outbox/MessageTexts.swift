import JSON

/// The texts of letters, notifications and reports in one language. Each is written in English where it is used, and
/// a catalogue (`Web/languages/messages.*.json`) has it in another language.
struct MessageTexts: Sendable {
    static let english = MessageTexts(texts: [:])

    private let texts: [String: String]

    init(texts: [String: String]) {
        self.texts = texts
    }

    /// Reads a catalogue: a JSON object whose names are the English texts.
    init(catalogue: [UInt8]) throws(JSONError) {
        var texts: [String: String] = [:]
        guard let members = try JSONValue.parse(catalogue).object else {
            throw JSONError(message: "expected an object")
        }
        for (text, said) in members { texts[text] = try said.string() }
        self.init(texts: texts)
    }

    /// Returns a text in this language; `{0}` in it stands for the first value. Braces in values stay as they are.
    func callAsFunction(_ text: String, _ values: Any...) -> String {
        (texts[text] ?? text).replacing(/\{(\d)\}/) { found in
            guard let number = Int(found.1), number < values.count else { return String(found.0) }
            return "\(values[number])"
        }
    }
}

extension SyncGateway {
    /// The texts of messages to a person, in the language of the account.
    func texts(for account: Account?) -> MessageTexts {
        account?.language.flatMap { messageTexts[$0] } ?? .english
    }
}
