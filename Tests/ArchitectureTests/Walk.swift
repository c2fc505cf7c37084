/// A walk through the code: the rows of a table on a page, each of which names a file and a function.
struct Walk: Sendable {
    struct Step: Sendable {
        let path: String
        let function: String
    }

    let heading: String
    let steps: [Step]
    /// The rows that do not name a file and a function.
    let unreadable: [String]

    /// Parses the table below a heading. Its last two columns are the file and the function.
    init(_ page: SourceFile, under heading: String) {
        var steps: [Step] = []
        var unreadable: [String] = []
        var isInside = false
        for line in page.lines {
            if line.hasPrefix("#") { isInside = line.drop { $0 == "#" } == " \(heading)" }
            guard isInside, line.hasPrefix("| "), !line.hasPrefix("| step |"), !line.hasPrefix("| --") else { continue }
            if let match = line.firstMatch(of: #/\| `([^`|]+)` \| `(\w+)` \|$/#) {
                steps.append(Step(path: String(match.1), function: String(match.2)))
            } else {
                unreadable.append(line)
            }
        }
        (self.heading, self.steps, self.unreadable) = (heading, steps, unreadable)
    }

    /// The number of different files.
    var files: Int { Set(steps.map(\.path)).count }

    /// Returns the steps whose file does not exist or does not declare the function.
    func faults(in file: (String) -> SourceFile?) -> [String] {
        unreadable.map { "\(heading): no file and function in \($0)" }
            + steps.compactMap { step in
                guard let source = file(step.path) else { return "\(heading): there is no \(step.path)" }
                guard !source.declares(step.function) else { return nil }
                return "\(heading): \(step.path) declares no \(step.function)"
            }
    }
}

extension SourceFile {
    /// Whether a Swift or JavaScript file declares a function or method of this name.
    func declares(_ function: String) -> Bool {
        code.contains { line in
            let words = isSwift ? ["func \(function)(", "func \(function)<"] : ["function \(function)("]
            if words.contains(where: { line.contains($0) }) { return true }
            let method = line.drop { $0 == " " }
            return !isSwift && line.hasSuffix("{")
                && ["\(function)(", "async \(function)("].contains { method.hasPrefix($0) }
        }
    }
}

extension SourceFile {
    /// The sentences of a page in Markdown. Headings and code blocks have none; a table cell or list item is no part of
    /// the sentence before it.
    var sentences: [String] {
        var paragraphs: [String] = []
        var current: [String] = []
        var isCode = false
        for line in lines {
            if line.hasPrefix("```") { isCode.toggle() }
            let isText = !isCode && !line.hasPrefix("```") && !line.hasPrefix("#") && !line.hasPrefix("|")
            let isItem = line.firstMatch(of: #/^\s*(-|\d+\.) /#) != nil
            if !isText || line.isEmpty || isItem {
                paragraphs.append(current.joined(separator: " "))
                current = []
            }
            if isText { current.append(line) }
            if !isCode, line.hasPrefix("|") { paragraphs += line.split(separator: "|").map(String.init) }
        }
        paragraphs.append(current.joined(separator: " "))
        return paragraphs.flatMap { $0.split(separator: #/[.!?](\s+|$)/#).map(String.init) }
            .filter { !$0.allSatisfy { $0 == " " } }
    }

    /// The files, folders, and tests that a page names in backticks, each as the beginning of a path.
    var namedPaths: [String] {
        text.matches(of: #/`((?:Services|Shared|Tests|deploy)\/[^`\s<>*…]+)[`\s]/#).map { String($0.1) }
            + text.matches(of: #/`(\w+Tests)(\/\w+)?`/#).map { "Tests/\($0.1)" + ($0.2.map { "\($0).swift" } ?? "") }
            + text.matches(of: #/\]\(([^)#:]+)(#[^)]*)?\)/#).map { match in
                String(path.split(separator: "/").dropLast().map { "\($0)/" }.joined() + match.1)
            }
    }
}
