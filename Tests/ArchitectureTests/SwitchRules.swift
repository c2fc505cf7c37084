/// Rules about switches.
extension Rule {
    /// A switch over event cases or activities has no default, so that each switch must handle a new case.
    static func answersEvery(of names: Set<String>) -> Rule {
        Rule(scope: { Rule.isPure($0) }) { file in
            file.switches.filter { $0.hasDefault && !names.isDisjoint(with: $0.cases) }.map {
                Finding(path: file.path, line: $0.line, what: "a switch over facts has a default")
            }
        }
    }

    /// Returns the case names of every event family, of `EventPayload`, and of `ActivityKind`.
    static func factCases(in repository: Repository) -> Set<String> {
        var names: Set<String> = []
        for file in repository.files
        where file.path.hasPrefix("Shared/Events/") || file.path.hasPrefix("Shared/EventSourcing/") {
            var isFamily = false
            for line in file.code {
                if line.first(matching: "^public enum (\\w+: EventFamily|EventPayload|ActivityKind)\\b") != nil {
                    isFamily = true
                }
                if line.hasPrefix("}") { isFamily = false }
                guard isFamily, line.hasPrefix("    case ") else { continue }
                for name in line.dropFirst(9).split(separator: ",") {
                    names.insert(name.prefix { $0.isLetter || $0.isNumber }.description.trimmed)
                }
            }
        }
        return names.subtracting([""])
    }
}

extension String {
    fileprivate var trimmed: String { String(drop { $0 == " " }.reversed().drop { $0 == " " }.reversed()) }
}

/// One `switch` of a file.
struct Switch {
    let line: Int
    /// The case names in its own patterns.
    var cases: Set<String> = []
    var hasDefault = false
}

extension SourceFile {
    /// Every `switch` with its own cases, without those of nested switches. Relies on the indentation of formatted
    /// code.
    var switches: [Switch] {
        var found: [Switch] = []
        var open: [(indent: Int, index: Int)] = []
        for (index, line) in code.enumerated() {
            let indent = line.prefix { $0 == " " }.count
            let text = line.dropFirst(indent)
            guard !text.isEmpty else { continue }
            while let last = open.last, indent < last.indent || (indent == last.indent && text.hasPrefix("}")) {
                open.removeLast()
            }
            if let last = open.last, indent == last.indent {
                if text.hasPrefix("default") || text.hasPrefix("case _:") { found[last.index].hasDefault = true }
                if text.hasPrefix("case ") {
                    // Only the pattern before the colon counts.
                    let pattern = text.prefix { $0 != ":" }
                    for match in pattern.matches(of: #/\.([a-z]\w*)/#) {
                        found[last.index].cases.insert(String(match.1))
                    }
                }
            }
            if text.first(matching: "\\bswitch ") != nil, text.hasSuffix("{") {
                found.append(Switch(line: index + 1))
                open.append((indent, found.count - 1))
            }
        }
        return found
    }
}

extension Substring {
    fileprivate func first(matching pattern: String) -> String? { String(self).first(matching: pattern) }
}
