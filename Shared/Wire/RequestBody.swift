public import JSON
import Vocabulary

/// The members of a request's body; errors name the member and what is wrong with it.
///
/// ```
/// let body = try RequestBody(request.body)
/// let title = try body.text("title", limit: 80)
/// let grams: Int64? = try body.find("grams")
/// ```
public struct RequestBody {
    /// The whole body, an object.
    public let json: JSONValue

    /// Reads a body; an empty one counts as an empty object. Throws a 400 for anything but an object.
    public init(_ bytes: [UInt8]) throws(Problem) {
        do {
            json = try JSONValue.parse(bytes.isEmpty ? Array("{}".utf8) : bytes)
        } catch {
            throw .malformed(error)
        }
        guard json.kind == .object else { throw Problem(400, "malformed", "The body must be a JSON object.") }
    }

    /// Reads a required member; throws a 400 if it is missing or of another type.
    public func get<Value: JSONReadable>(_ name: String, as type: Value.Type = Value.self) throws(Problem) -> Value {
        do {
            return try json.get(name)
        } catch {
            throw .malformed(error)
        }
    }

    /// Reads an optional member; nil if it is absent or null.
    public func find<Value: JSONReadable>(_ name: String, as type: Value.Type = Value.self) throws(Problem) -> Value? {
        do {
            return try json.find(name)
        } catch {
            throw .malformed(error)
        }
    }

    /// Returns whether a member is present and not null.
    public func has(_ name: String) -> Bool { json[name].map { !$0.isNull } ?? false }

    /// Reads a required text of 1 to `limit` characters that is not only white space.
    public func text(_ name: String, limit: Int = 200) throws(Problem) -> String {
        let text: String = try get(name)
        return try checked(text, name, limit)
    }

    /// Returns the SHA-256 of a file in small letters; throws a 400 if the member is missing.
    public func digest(_ name: String) throws(Problem) -> String {
        guard let digest = try optionalDigest(name) else {
            throw Problem(400, "malformed", "\(name): name the SHA-256 of a picture.")
        }
        return digest
    }

    /// Returns the SHA-256 of a file in small letters; nil if the member is missing.
    public func optionalDigest(_ name: String) throws(Problem) -> String? {
        guard let digest = try optionalText(name, limit: 64) else { return nil }
        guard digest.utf8.count == 64, Hex.decode(digest) != nil else {
            throw Problem(400, "malformed", "\(name): the SHA-256 of a picture, 64 letters in hex.")
        }
        return digest.lowercased()
    }

    /// Reads an optional text of 1 to `limit` characters; nil if it is absent, null or empty.
    public func optionalText(_ name: String, limit: Int = 200) throws(Problem) -> String? {
        guard let text: String = try find(name), !text.isEmpty else { return nil }
        return try checked(text, name, limit)
    }

    /// Reads a name that is safe in addresses: 1 to 40 letters, digits, hyphens or underscores.
    public func name(_ member: String) throws(Problem) -> String {
        let text: String = try get(member)
        guard Self.isName(text) else {
            throw Problem(400, "malformed", "\(member): use 1 to 40 letters, digits, hyphens or underscores.")
        }
        return text
    }

    /// Returns whether the text is 1 to 40 letters, digits, hyphens or underscores.
    public static func isName(_ text: String) -> Bool {
        (1...40).contains(text.utf8.count)
            && text.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"):
                    true
                default: false
                }
            }
    }

    /// Returns whether a text has a visible character and no control characters; `breaks` allows line breaks and tabs.
    public static func isText(_ text: String, breaks: Bool) -> Bool {
        text.unicodeScalars.contains { $0.value > 32 && $0.value != 127 }
            && text.unicodeScalars.allSatisfy { scalar in
                switch scalar.value {
                case 9, 10, 13: breaks
                case 0..<32, 127: false
                default: true
                }
            }
    }

    private func checked(_ text: String, _ name: String, _ limit: Int) throws(Problem) -> String {
        guard text.unicodeScalars.count <= limit, Self.isText(text, breaks: true) else {
            throw Problem(400, "malformed", "\(name): use 1 to \(limit) characters of text.")
        }
        return text
    }
}
