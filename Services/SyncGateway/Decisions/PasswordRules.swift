/// Rejects new passwords that are among the first that an attacker guesses.
///
/// The rules cover what lists of common passwords consist of, without such a list: a common word with digits around it,
/// sequences, repetitions, rows of the keyboard, and the person's or farm's own names.
enum PasswordRules {
    /// Returns why a password is too easy to guess; nil if it may be used.
    ///
    /// - Parameter own: names, e-mail addresses and titles that others know.
    static func fault(_ password: String, own: [String]) -> String? {
        let plain = password.lowercased()
        let letters = unmasked(plain)
        if isRepetition(plain) { return "it repeats a few characters; use several words" }
        if isSequence(plain) { return "it is a row of digits, letters or keys; use several words" }
        let names = own.flatMap(words).filter { $0.count >= 3 }
        for text in [letters, trimmed(plain)] {
            let rest = without(common, in: text)
            if text.count < 16, rest.count <= 2, text.count > rest.count {
                return "it is one of the passwords that are tried first; use several words"
            }
        }
        for text in [letters, plain.filter(\.isLetter)] {
            let left = without(names, in: text)
            if left.count < text.count, left.count <= 3 {
                return "it is made of your name, your e-mail address or the farm's name; use several words"
            }
        }
        return plain.allSatisfy(\.isNumber) ? "it has digits alone; use several words" : nil
    }

    /// Words that common passwords are made of.
    private static let common = [
        "password", "passwort", "passwd", "administrator", "admin", "welcome", "letmein", "qwerty", "qwertz", "azerty",
        "iloveyou", "monkey", "dragon", "sunshine", "princess", "football", "baseball", "master", "superman", "batman",
        "trustno", "shadow", "secret", "changeme", "default", "login", "access", "hello", "freedom", "whatever",
        "michael", "jordan", "summer", "winter", "spring", "autumn", "furrow", "farm", "test", "guest", "user", "root",
        "love", "the", "my", "me", "is", "you", "abc", "asdf", "zxcv", "pass", "word", "new", "one", "two",
    ].sorted { ($0.count, $1) > ($1.count, $0) }

    private static let rows = [
        "0123456789012345678901234567890", "abcdefghijklmnopqrstuvwxyzabcdefghijklmnopqrstuvwxyz",
        "qwertyuiopasdfghjklzxcvbnm", "qwertzuiopasdfghjklyxcvbnm", "azertyuiopqsdfghjklmwxcvbn",
        "1qaz2wsx3edc4rfv5tgb6yhn7ujm8ik9ol0p", "1q2w3e4r5t6y7u8i9o0p", "qazwsxedcrfvtgbyhnujmikolp",
        "1234567890qwertyuiopasdfghjklzxcvbnm", "a1b2c3d4e5f6g7h8i9j0",
    ]

    /// Returns the text without the digits and symbols at both ends.
    private static func trimmed(_ text: String) -> String {
        String(text.drop { !$0.isLetter }.reversed().drop { !$0.isLetter }.reversed())
    }

    /// Returns the text with letters in place of the digits and symbols that stand in for them, and without all others.
    private static func unmasked(_ text: String) -> String {
        let masks: [Character: Character] = [
            "0": "o", "1": "i", "3": "e", "4": "a", "5": "s", "7": "t", "@": "a", "$": "s", "!": "i", "8": "b",
        ]
        // Digits at the end are years or counters, not substitutes for letters.
        let core = text.reversed().drop { !$0.isLetter }.reversed()
        return String(core.compactMap { $0.isLetter ? $0 : masks[$0] })
    }

    /// Returns the text without all occurrences of the words.
    private static func without(_ words: [String], in text: String) -> String {
        words.reduce(text) { rest, word in rest.replacing(word, with: "") }
    }

    private static func isRepetition(_ text: String) -> Bool {
        let characters = Array(text)
        if Set(characters).count <= 3 { return true }
        return (1...5).contains { period in
            characters.count >= 2 * period
                && characters.indices.allSatisfy { characters[$0] == characters[$0 % period] }
        }
    }

    /// Whether the whole text is one or two runs of a row, in either direction.
    private static func isSequence(_ text: String) -> Bool {
        var rest = text[...]
        for _ in 0..<3 where !rest.isEmpty {
            let run = (3...max(3, rest.count)).last { length in
                guard length <= rest.count else { return false }
                let part = String(rest.prefix(length))
                return rows.contains { $0.contains(part) || $0.contains(String(part.reversed())) }
            }
            guard let run else { break }
            rest = rest.dropFirst(run)
        }
        return rest.count <= 1
    }

    private static func words(of text: String) -> [String] {
        text.lowercased().split { !$0.isLetter && !$0.isNumber }.map(String.init)
    }
}
