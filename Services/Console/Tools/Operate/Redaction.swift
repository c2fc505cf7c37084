/// Removes secrets and personal data from a text.
///
/// It removes too much rather than too little: long runs of letters and digits that could be keys go, natural words
/// stay.
enum Redaction {
    static let mark = "[…]"

    static func redact(_ text: String) -> String {
        var result = ""
        var word = ""
        for character in text {
            if character.isLetter || character.isNumber || "+/=_-.@%#:~&?!$*^".contains(character) {
                word.append(character)
            } else {
                result += redacted(word: word, after: result)
                result.append(character)
                word = ""
            }
        }
        return result + redacted(word: word, after: result)
    }

    private static func redacted(word: String, after before: String) -> String {
        guard !word.isEmpty else { return "" }
        if isSecretName(before) { return mark }
        if word.contains("@") { return mark }
        // A URL fragment is for the browser only, such as the token of a set-up link.
        if let hash = word.firstIndex(of: "#") {
            return redacted(word: String(word[..<hash]), after: before) + "#" + mark
        }
        if let equals = word.firstIndex(of: "="), isSecretName(String(word[...equals])) {
            return word[...equals] + mark
        }
        let parts = word.split(whereSeparator: { "/.:&?=".contains($0) })
        return parts.contains(where: { isKey($0) }) || isUUID(word) ? mark : word
    }

    /// Returns whether a text ends with the name of a secret and a sign that its value follows.
    private static func isSecretName(_ before: String) -> Bool {
        let tail = before.suffix(40).lowercased()
        let bare = tail.filter { $0.isLetter || $0 == "_" || $0 == ":" || $0 == "=" }
        guard bare.hasSuffix(":") || bare.hasSuffix("=") else { return false }
        return ["password", "token", "secret", "key", "authorization", "bearer", "cookie", "session"].contains {
            bare.dropLast().hasSuffix($0)
        }
    }

    /// Returns whether a text is long and mixed as no word is: hexadecimal, base 32 or base 64.
    private static func isKey(_ part: Substring) -> Bool {
        guard part.utf8.count >= 16 else { return false }
        let digits = part.count(where: \.isNumber)
        let (upper, lower) = (part.count(where: \.isUppercase), part.count(where: \.isLowercase))
        return (digits >= 2 && upper + lower >= 2) || (upper >= 2 && lower >= 2) || upper >= 16
    }

    private static func isUUID(_ word: String) -> Bool {
        word.utf8.count >= 36 && word.split(separator: "-").count >= 5
    }
}
