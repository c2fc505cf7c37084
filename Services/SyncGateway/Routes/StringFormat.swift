import Vocabulary
import Wire

/// The format of a string: its description for people, its JSON Schema, and the validation of requests.
struct StringFormat: Sendable {
    /// The description for people: `1 to 200 characters`.
    let words: String
    /// The format as a regular expression (ECMA 262).
    private(set) var pattern: String
    /// The length, counted as in JSON Schema: in Unicode scalars.
    private(set) var characters: ClosedRange<Int>
    /// The name of a rule that no regular expression can express, as `format` in the API description.
    var format: String?
    /// Whether web forms may send an empty text for an optional member.
    var isOftenEmpty = false
    private(set) var fits: @Sendable (String) -> Bool

    func accepts(_ text: String) -> Bool {
        characters.contains(text.unicodeScalars.count) && fits(text)
    }

    /// The format of an optional member, which an empty text leaves out.
    var optional: StringFormat {
        guard isOftenEmpty else { return self }
        var copy = self
        copy.pattern = "^$|" + pattern
        copy.characters = 0...characters.upperBound
        copy.fits = { [fits] in $0.isEmpty || fits($0) }
        return copy
    }
}

// Each pattern is next to its check; `StringFormatTests` compares the two.
extension StringFormat {
    /// Letters, digits, hyphen and underscore: safe in paths.
    static let name = StringFormat(
        words: "1 to 40 letters, digits, hyphens or underscores", pattern: "^[A-Za-z0-9_-]{1,40}$",
        characters: 1...40, fits: RequestBody.isName)
    /// A line of text.
    static func line(_ most: Int) -> StringFormat {
        StringFormat(
            words: "one line of 1 to \(most) characters, not blanks alone",
            pattern: "^ *[^\\x00-\\x20\\x7f][^\\x00-\\x1f\\x7f]*$", characters: 1...most, isOftenEmpty: true,
            fits: { RequestBody.isText($0, breaks: false) })
    }
    /// A person's random number; logs contain no names.
    static let person = StringFormat(
        words: "a UUID in lower case that stands for the person, whose name no log must hold",
        pattern: "^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$", characters: 36...36,
        fits: { UUID($0)?.description == $0 })
    /// Text of several lines.
    static func lines(_ most: Int) -> StringFormat {
        StringFormat(
            words: "1 to \(most) characters, not blanks alone",
            pattern: "^[\\t\\n\\r ]*[^\\x00-\\x20\\x7f][^\\x00-\\x08\\x0b\\x0c\\x0e-\\x1f\\x7f]*$",
            characters: 1...most,
            isOftenEmpty: true, fits: { RequestBody.isText($0, breaks: true) })
    }
    static let lot = StringFormat(
        words: "up to 20 upper case letters, digits and hyphens", pattern: "^[A-Z0-9-]{1,20}$", characters: 1...20,
        isOftenEmpty: true, fits: { $0.all { "A"..."Z" ~= $0 || "0"..."9" ~= $0 || $0 == "-" } })
    static let gtin = StringFormat(
        words: "a GTIN of 8, 12, 13 or 14 digits with its check digit", pattern: "^([0-9]{8}|[0-9]{12,14})$",
        characters: 8...14, format: "gtin", fits: { GTIN($0) != nil })
    static let place = StringFormat(
        words: "plot/… or store/…", pattern: "^(plot|store)/[A-Za-z0-9_-]{1,40}$", characters: 6...46,
        fits: { Place($0) != nil })
    /// A time of the day, by a clock.
    static let clock = StringFormat(
        words: "hours and minutes of a clock: 21:30", pattern: "^([01][0-9]|2[0-3]):[0-5][0-9]$", characters: 5...5,
        fits: { text in
            let parts = text.split(separator: ":", omittingEmptySubsequences: false)
            return parts.count == 2 && parts.allSatisfy { $0.utf8.count == 2 && String($0).all { "0"..."9" ~= $0 } }
                && Int(parts[0]) ?? 24 < 24 && Int(parts[1]) ?? 60 < 60
        })
    static let currency = StringFormat(
        words: "three capital letters as in ISO 4217", pattern: "^[A-Z]{3}$", characters: 3...3,
        fits: { Currency($0) != nil })
    /// The SHA-256 of a picture.
    static let digest = StringFormat(
        words: "the SHA-256 of a picture, 64 letters in hex", pattern: "^[0-9A-Fa-f]{64}$", characters: 64...64,
        isOftenEmpty: true, fits: { $0.all(\.isHex) })
    static func link(_ most: Int) -> StringFormat {
        StringFormat(
            words: "a whole address, https://…, of \(most) characters at most",
            pattern: "^https?://[^\\x00-\\x20\\x22<>\\x7f]+$", characters: 8...most, isOftenEmpty: true,
            fits: { text in
                ["https://", "http://"].contains { text.hasPrefix($0) && text.utf8.count > $0.utf8.count }
                    && text.all { $0 > " " && $0 != "\"" && $0 != "<" && $0 != ">" && $0 != "\u{7F}" }
            })
    }
    static let email = StringFormat(
        words: "an e-mail address", pattern: "^[^\\x00-\\x20\\x7f@]+@[^\\x00-\\x20\\x7f@]+$", characters: 3...254,
        fits: { text in
            let halves = text.split(separator: "@", omittingEmptySubsequences: false)
            return halves.count == 2 && halves.allSatisfy { !$0.isEmpty } && text.all { $0 > " " && $0 != "\u{7F}" }
        })
    static let password = StringFormat(
        words: "10 to 256 characters", pattern: "^[^\\x00]*$", characters: 10...256,
        fits: { $0.all { $0 != "\0" } })
    /// A password at sign-in: any text is accepted and checked.
    static let secret = StringFormat(
        words: "1 to 1024 characters", pattern: "^[^\\x00]*$", characters: 1...1024, fits: { $0.all { $0 != "\0" } })
    /// An `Idempotency-Key`, which the caller chooses.
    static let key = StringFormat(
        words: "1 to 200 printable characters without spaces", pattern: "^[!-~]{1,200}$",
        characters: 1...GatewayLimits.keyBytes, fits: { $0.all { "!"..."~" ~= $0 } })
    static let wishes = StringFormat(
        words: "offer:quantity, separated by commas",
        pattern: "^[A-Za-z0-9_-]{1,40}:([1-9][0-9]{0,2}|1000)(,[A-Za-z0-9_-]{1,40}:([1-9][0-9]{0,2}|1000))*$",
        characters: 3...200,
        fits: { text in
            text.split(separator: ",", omittingEmptySubsequences: false).allSatisfy { wish in
                let halves = wish.split(separator: ":", omittingEmptySubsequences: false)
                guard halves.count == 2, RequestBody.isName(String(halves[0])), let quantity = Int(halves[1]) else {
                    return false
                }
                return (1...1000).contains(quantity) && halves[1] == String(quantity)
            }
        })
    static let topics = StringFormat(
        words: LiveFeed.allTopics.joined(separator: ", "),
        pattern: "^(alarms|readings|stocktakes|beacons)(,(alarms|readings|stocktakes|beacons))*$",
        characters: 6...200,
        fits: {
            $0.split(separator: ",", omittingEmptySubsequences: false).allSatisfy {
                LiveFeed.allTopics.contains(String($0))
            }
        })
    /// The hub position that a client has reached; `null` before its first pull.
    static let pulled = StringFormat(
        words: "the timestamp of the last answer", pattern: "^(null|[0-9]{1,18})$", characters: 1...18,
        fits: { $0 == "null" || $0.all { "0"..."9" ~= $0 } })
    /// The id that a client gives its own record.
    static let record = StringFormat(
        words: "1 to 64 letters, digits, dots, hyphens or underscores", pattern: "^[A-Za-z0-9._-]{1,64}$",
        characters: 1...64,
        fits: {
            $0.all { "a"..."z" ~= $0 || "A"..."Z" ~= $0 || "0"..."9" ~= $0 || $0 == "." || $0 == "-" || $0 == "_" }
        })
    /// Six bytes, with colons or without.
    static let address = StringFormat(
        words: "six bytes in hexadecimal", pattern: "^([0-9A-Fa-f]{12}|([0-9A-Fa-f]{2}:){5}[0-9A-Fa-f]{2})$",
        characters: 12...17,
        fits: { text in
            let parts =
                text.utf8.count == 12 ? [text[...]] : text.split(separator: ":", omittingEmptySubsequences: false)
            return parts.count == 1
                ? text.all(\.isHex)
                : parts.count == 6 && parts.allSatisfy { $0.utf8.count == 2 && String($0).all(\.isHex) }
        })
    /// The bytes of an advert.
    static let advert = StringFormat(
        words: "up to \(GatewayLimits.advertBytes) bytes in hexadecimal", pattern: "^([0-9A-Fa-f]{2})*$",
        characters: 0...(2 * GatewayLimits.advertBytes), fits: { $0.utf8.count.isMultiple(of: 2) && $0.all(\.isHex) })
    /// The UUID of a GATT characteristic: 16, 32 or 128 bits.
    static let characteristic = StringFormat(
        words: "a UUID: 2a6e, or f000aa21-0451-4000-b000-000000000000",
        pattern: "^([0-9A-Fa-f]{4}|[0-9A-Fa-f]{8}|[0-9A-Fa-f]{8}(-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12})$",
        characters: 4...36,
        fits: { text in
            let parts = text.split(separator: "-", omittingEmptySubsequences: false)
            guard parts.allSatisfy({ String($0).all(\.isHex) }) else { return false }
            let lengths = parts.map(\.utf8.count)
            return [[4], [8], [8, 4, 4, 4, 12]].contains(lengths)
        })
    /// The path of a tile within its level: groups of three digits, and the width of a partial tile.
    static let tile = StringFormat(
        words: "groups of three digits, x001/234", pattern: "^(x[0-9]{3}/){0,5}[0-9]{3}(\\.p/[0-9]{1,3})?$",
        characters: 3...40, fits: { TilePath(level: "0", rest: $0) != nil })
    /// Seconds since 1970: the timestamp of a provider's notice.
    static let seconds = StringFormat(
        words: "the seconds since 1970", pattern: "^[0-9]{1,15}$", characters: 1...15,
        fits: { $0.all { "0"..."9" ~= $0 } })
    /// The signatures of a notice (Standard Webhooks 1.0): one or more, separated by spaces.
    static let signatures = StringFormat(
        words: "v1, a comma and the signature in base 64", pattern: "^v1,[A-Za-z0-9+/=]+( v1,[A-Za-z0-9+/=]+)*$",
        characters: 4...1000,
        fits: { text in
            text.split(separator: " ", omittingEmptySubsequences: false).allSatisfy { part in
                part.hasPrefix("v1,") && part.utf8.count > 3
                    && String(part.dropFirst(3)).all {
                        $0.isLetter || "0"..."9" ~= $0 || $0 == "+" || $0 == "/" || $0 == "="
                    }
            }
        })
    static let device = StringFormat(
        words: "the name of a device, as it was heard", pattern: "^[!-~]+$", characters: 1...200,
        fits: { $0.all { "!"..."~" ~= $0 } })
}

extension String {
    fileprivate func all(_ isGood: (Unicode.Scalar) -> Bool) -> Bool { unicodeScalars.allSatisfy(isGood) }
}

extension Unicode.Scalar {
    fileprivate var isLetter: Bool { "a"..."z" ~= self || "A"..."Z" ~= self }
    fileprivate var isHex: Bool { "0"..."9" ~= self || "a"..."f" ~= self || "A"..."F" ~= self }
}
