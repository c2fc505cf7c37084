import Testing

/// The targets of `Package.swift`: their names in the order of their declaration, and their dependencies.
struct Manifest: Sendable {
    struct Target: Sendable {
        let name: String
        let needs: [String]
        let isCLibrary: Bool
    }

    let targets: [Target]

    /// Parses the text of the declarations, such as `shared("Wire", needs: ["JSON"])`, and expands `words` and
    /// `language.names`.
    init(_ text: String) {
        // The functions after `let package` that build the declarations are not declarations.
        let declarations = text.components(before: "\nlet package").joined(separator: "\n")
        var words: [String] = []
        if let line = text.split(separator: "\n").first(where: { $0.contains("var words: [String]") }) {
            words = Self.strings(in: String(line))
        }
        var targets: [Target] = []
        var language: [String] = []
        for match in declarations.matches(
            of: #/(?:\b|\.)(clang|driver|shared|module|service|target)\(\s*(?:name: )?"(\w+)"/#)
        {
            let kind = String(match.1)
            let arguments = Self.arguments(of: declarations, from: match.range.lowerBound)
            let rest = arguments.firstRange(of: kind == "driver" ? "over:" : "needs:").map {
                String(arguments[$0.upperBound...])
            }
            let needed = rest?.components(before: "except:").first ?? ""
            var needs = kind == "clang" || kind == "target" ? [] : Self.strings(in: needed)
            if needed.contains("language.names") { needs = language + needs }
            if needed.first(matching: #"\bwords\b"#) != nil { needs += words }
            let target = Target(name: String(match.2), needs: needs, isCLibrary: kind == "clang" || kind == "target")
            if Self.isLanguage(declarations, before: match.range.lowerBound) { language.append(target.name) }
            targets.append(target)
        }
        self.targets = targets
    }

    /// Returns the dependencies on a higher layer, on the same layer, or on an undeclared target.
    ///
    /// - Parameter layers: the layer of each target, as ARCHITECTURE.md shows it.
    func wrongDependencies(layers: [String: Int]) -> [String] {
        var declared: Set<String> = []
        var wrong: [String] = []
        for target in targets {
            for need in target.needs {
                if !declared.contains(need) { wrong.append("\(target.name) → \(need) is not declared above it") }
                guard let from = layers[target.name], let to = layers[need] else { continue }
                if to > from { wrong.append("\(target.name) → \(need) is on a higher layer") }
                if to == from, Self.sameLayer[target.name]?.contains(need) != true {
                    wrong.append("\(target.name) → \(need) is on the same layer")
                }
            }
            declared.insert(target.name)
        }
        return wrong
    }

    /// The targets of one layer that may depend on each other, only in this direction.
    private static let sameLayer: [String: Set<String>] = [
        "Vocabulary": ["JSON"], "EventSourcing": ["JSON", "Vocabulary"],
        "Wire": ["JSON", "Crypto", "Vocabulary", "EventSourcing"], "Host": ["EventStore", "JetStream", "EventBus"],
        "HubStore": ["EventStore"], "JetStream": ["EventStore"], "Vault": ["EventStore"], "TestKit": ["EventStore"],
    ]

    private static func isLanguage(_ text: String, before index: String.Index) -> Bool {
        let groups = text[..<index].matches(of: #/\nlet (\w+): \[Target\]/#)
        return groups.last.map { $0.1 == "language" } ?? false
    }

    /// Returns the text between a call's parentheses.
    private static func arguments(of text: String, from start: String.Index) -> String {
        guard let open = text[start...].firstIndex(of: "(") else { return "" }
        var depth = 0
        for index in text[open...].indices {
            if text[index] == "(" { depth += 1 }
            if text[index] == ")" { depth -= 1 }
            if depth == 0 { return String(text[text.index(after: open)..<index]) }
        }
        return ""
    }

    private static func strings(in text: String) -> [String] {
        text.matches(of: #/"(\w+)"/#).map { String($0.1) }
    }
}

/// The layer of each target, read from the diagram of the layers in ARCHITECTURE.md.
struct LayerMap: Sendable {
    let layers: [String: Int]

    /// Parses lines such as `L3  Plumbing    Host   EventStore   EventBus`; only names of targets count.
    init(_ map: String, targets: [Manifest.Target]) {
        let names = Set(targets.map(\.name))
        // The diagram omits TestKit, which is on the layer of the modules that it tests.
        var layers = ["TestKit": 3]
        for target in targets where target.isCLibrary { layers[target.name] = 0 }
        for line in map.split(separator: "\n") {
            guard let match = line.firstMatch(of: #/^L(\d) /#), let layer = Int(match.1) else { continue }
            for word in line.matches(of: #/\w+/#) where names.contains(String(word.output)) {
                layers[String(word.output)] = layer
            }
        }
        self.layers = layers
    }
}

extension String {
    /// Returns the text before a separator, or all of it if the separator is missing.
    func components(before separator: String) -> [String] {
        [String(firstRange(of: separator).map { self[..<$0.lowerBound] } ?? self[...])]
    }
}
