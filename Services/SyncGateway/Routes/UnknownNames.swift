import HTTP
import JSON
import Wire

/// Members and parameters that are not in the API description, and members that occur twice.
///
/// Under `/v1` they are refused, so that a mistyped `waitingdays` does not create a record without a waiting time. With
/// `Prefer: handling=lenient` (RFC 7240) unknown names are ignored and listed in `Furrow-Ignored`. A member that occurs
/// twice is always refused, because RFC 8259 does not define which value counts.
struct UnknownNames {
    /// The path of an unknown name (`lines/0/quantitty`), and the most similar known name there.
    struct Finding: Equatable {
        let path: String
        let nearest: String?
    }

    static let ignoredHeader = "Furrow-Ignored"

    private(set) var unknown: [Finding] = []
    /// The paths of members that occur twice in one object.
    private(set) var repeated: [String] = []

    /// The steps to the value that is being looked at.
    ///
    /// They are written as a path for a finding only, because nearly all bodies have none.
    private var place: [Step] = []

    private enum Step {
        case member(String)
        case element(Int)
    }

    /// Collects the findings of a whole body.
    init(in body: JSONValue, described shape: Shape) {
        look(at: body, .object(shape))
    }

    private mutating func look(at value: JSONValue, _ schema: APISchema?) {
        guard unknown.count + repeated.count < GatewayLimits.unknownNames else { return }
        if let members = value.object {
            look(at: members, schema)
        } else if let elements = value.array {
            var element: APISchema?
            if case .list(let one)? = schema?.withoutNull { element = one }
            if case .few(let one, _)? = schema?.withoutNull { element = one }
            for (index, one) in elements.enumerated() {
                place.append(.element(index))
                look(at: one, element)
                place.removeLast()
            }
        }
    }

    private mutating func look(at members: JSONObject, _ schema: APISchema?) {
        var seen: Set<String> = []
        for (name, value) in members {
            place.append(.member(name))
            if !seen.insert(name).inserted { repeated.append(path) }
            switch schema?.withoutNull {
            case .object(let shape)?:
                let known = shape.members.first { $0.name == name }
                if known == nil, !shape.isOpen {
                    unknown.append(Finding(path: path, nearest: Self.nearest(name, shape.members.map(\.name))))
                } else {
                    look(at: value, known?.schema)
                }
            case .map(let element)?: look(at: value, element)
            default: look(at: value, nil)
            }
            place.removeLast()
        }
    }

    private var path: String {
        place.map { step in
            switch step {
            case .member(let name): Self.shown(name)
            case .element(let index): String(index)
            }
        }.joined(separator: "/")
    }

    /// Returns a name without characters that a header must not contain, and not longer than people read.
    private static func shown(_ name: String) -> String {
        name.unicodeScalars.prefix(GatewayLimits.nameShown).map { $0.isPrintable ? String($0) : "?" }.joined()
    }
}

extension UnknownNames {
    /// Returns the query parameters that the route does not define.
    static func parameters(of request: HTTPRequest, for route: Route) -> [Finding] {
        guard route.isStrict else { return [] }
        let known = route.parameters.map(\.name)
        return request.query.prefix(GatewayLimits.unknownNames * 4).filter { !known.contains($0.name) }.map {
            Finding(path: shown($0.name), nearest: nearest($0.name, known))
        }
    }

    /// Throws for a repeated member and, unless the request is lenient, for the first unknown name.
    static func check(_ request: HTTPRequest, for route: Route) throws(Problem) {
        guard route.isStrict else { return }
        let names = try body(of: request, for: route)
        if let path = names?.repeated.first {
            throw Problem(400, "duplicate-member", "`\(path)` stands twice; send it once.")
        }
        guard !isLenient(request) else { return }
        if let parameter = parameters(of: request, for: route).first {
            throw Problem(400, "unknown-parameter", "\(parameter.words)")
        }
        if let member = names?.unknown.first { throw Problem(400, "unknown-member", "\(member.words)") }
    }

    /// Returns the value of `Furrow-Ignored`, or nil if the request is not lenient.
    static func ignored(in request: HTTPRequest) -> String? {
        guard isLenient(request), case .found(let route, _) = Router.find(request.method, request.path), route.isStrict
        else { return nil }
        var members: [Finding] = []
        do throws(Problem) { members = try body(of: request, for: route)?.unknown ?? [] } catch { return "" }
        let all = parameters(of: request, for: route).map { "?" + $0.path } + members.map(\.path)
        var text = ""
        for name in all.prefix(GatewayLimits.unknownNames)
        where text.utf8.count + name.utf8.count < GatewayLimits.ignoredBytes {
            // Commas and spaces separate the items of the list.
            let word = String(name.map { $0 == "," || $0 == " " ? "_" : $0 })
            text += text.isEmpty ? word : ", \(word)"
        }
        return text
    }

    private static func body(of request: HTTPRequest, for route: Route) throws(Problem) -> UnknownNames? {
        guard case .json(let shape) = route.takes, !request.body.isEmpty else { return nil }
        return UnknownNames(in: try RequestBody(request.body).json, described: shape)
    }

    /// RFC 7240: preferences are separated by commas, their parameters by semicolons; unknown ones are ignored.
    static func isLenient(_ request: HTTPRequest) -> Bool {
        guard let preferences = request.headers["Prefer"] else { return false }
        let first = preferences.prefix(GatewayLimits.keyBytes * 4).split(separator: ",").lazy.map { preference in
            preference.prefix { $0 != ";" }.filter { $0 != " " && $0 != "\t" && $0 != "\"" }.lowercased()
        }.first { $0.hasPrefix("handling=") }
        return first == "handling=lenient"
    }
}

extension UnknownNames.Finding {
    var words: String {
        "`\(path)` is not known here" + (nearest.map { "; did you mean `\($0)`?" } ?? ".")
    }
}

// MARK: Suggestions

extension UnknownNames {
    /// Returns the known name with the fewest edits: at most two, or a third of its letters. Returns nil if none is
    /// that similar.
    static func nearest(_ name: String, _ known: [String]) -> String? {
        let asked = Array(name.lowercased().unicodeScalars.prefix(GatewayLimits.nameShown))
        let distances = known.map { ($0, edits(asked, Array($0.lowercased().unicodeScalars))) }
        guard let best = distances.min(by: { $0.1 < $1.1 }) else { return nil }
        return best.1 <= max(2, best.0.count / 3) && best.1 < asked.count ? best.0 : nil
    }

    /// Returns the Levenshtein distance: deleted, inserted or replaced letters.
    private static func edits(_ one: [Unicode.Scalar], _ other: [Unicode.Scalar]) -> Int {
        var row = Array(0...other.count)
        for (line, letter) in one.enumerated() {
            var corner = row[0]
            row[0] = line + 1
            for (column, against) in other.enumerated() {
                let replaced = corner + (letter == against ? 0 : 1)
                corner = row[column + 1]
                row[column + 1] = min(replaced, row[column] + 1, corner + 1)
            }
        }
        return row[other.count]
    }
}

extension APISchema {
    fileprivate var withoutNull: APISchema {
        if case .orNull(let schema) = self { schema.withoutNull } else { self }
    }
}

extension Unicode.Scalar {
    fileprivate var isPrintable: Bool { ("!"..."~").contains(self) || self == " " }
}
