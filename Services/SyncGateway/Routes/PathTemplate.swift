/// The path of a route, such as `/v1/lots/{lot}/splits`. A last parameter written `{tile+}` matches the rest of the
/// path.
struct PathTemplate: Sendable, ExpressibleByStringLiteral {
    enum Segment: Sendable, Equatable {
        case word(String)
        case parameter(String)
        case rest(String)
    }

    let segments: [Segment]

    init(stringLiteral text: String) {
        segments = text.split(separator: "/").map { part in
            guard part.hasPrefix("{"), part.hasSuffix("}") else { return .word(String(part)) }
            let name = part.dropFirst().dropLast()
            return name.hasSuffix("+") ? .rest(String(name.dropLast())) : .parameter(String(name))
        }
    }

    /// The path in OpenAPI's notation.
    var text: String {
        segments.reduce(into: "") { text, segment in
            switch segment {
            case .word(let word): text += "/\(word)"
            case .parameter(let name), .rest(let name): text += "/{\(name)}"
            }
        }
    }

    var parameters: [String] {
        segments.compactMap { segment in
            switch segment {
            case .word: nil
            case .parameter(let name), .rest(let name): name
            }
        }
    }

    /// Returns the parameters in order if the segments match, else nil.
    func match(_ parts: [Substring]) -> [(name: String, value: String)]? {
        var values: [(name: String, value: String)] = []
        for (index, segment) in segments.enumerated() {
            guard index < parts.count, !parts[index].isEmpty else { return nil }
            switch segment {
            case .word(let word):
                guard parts[index] == word else { return nil }
            case .parameter(let name): values.append((name, String(parts[index])))
            case .rest(let name):
                values.append((name, parts[index...].joined(separator: "/")))
                return values
            }
        }
        return parts.count == segments.count ? values : nil
    }
}
