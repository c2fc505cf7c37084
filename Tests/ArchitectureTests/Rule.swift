import Testing

/// A violation of a rule, and its position.
struct Finding: CustomStringConvertible, Sendable {
    let path: String
    /// From 1; 0 stands for the whole file.
    let line: Int
    let what: String

    var description: String { line == 0 ? "\(path): \(what)" : "\(path):\(line): \(what)" }
}

/// A rule that is checked on each file by itself.
struct Rule: Sendable {
    /// The files that the rule applies to.
    let scope: @Sendable (SourceFile) -> Bool
    /// Files that may violate the rule, each with the reason.
    var exceptions: [String: String] = [:]
    let find: @Sendable (SourceFile) -> [Finding]

    /// Returns the violations in a file; none if the rule does not apply to it or an exception exists.
    func findings(in file: SourceFile) -> [Finding] {
        scope(file) && exceptions[file.path] == nil ? find(file) : []
    }

    /// Checks that the rule catches the bad examples and accepts the good ones, then checks the whole repository.
    ///
    /// - Parameter floor: the least number of files that it must apply to, so that a rule without files is noticed.
    func isKept(
        catching bad: [(path: String, text: String)], sparing good: [(path: String, text: String)] = [], floor: Int,
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        for (path, text) in bad {
            let caught = !findings(in: SourceFile(path: path, text: text)).isEmpty
            #expect(caught, "does not catch \(text) in \(path)", sourceLocation: sourceLocation)
        }
        for (path, text) in good {
            let findings = findings(in: SourceFile(path: path, text: text))
            #expect(findings.isEmpty, "catches \(findings)", sourceLocation: sourceLocation)
        }
        let repository = try Repository.here.get()
        let files = repository.files.filter(scope)
        #expect(files.count >= floor, "applies to only \(files.count) files", sourceLocation: sourceLocation)
        for file in files {
            for finding in findings(in: file) { Issue.record("\(finding)", sourceLocation: sourceLocation) }
        }
        for (path, reason) in exceptions {
            let isNeeded = repository.file(path).map { !find($0).isEmpty } ?? false
            #expect(isNeeded, "\(path) needs no exception any more (\(reason))", sourceLocation: sourceLocation)
        }
    }
}

extension Rule {
    /// A rule that no line of code may match a pattern. A file without any of the `words` is skipped, for speed.
    static func never(
        _ pattern: String, words: [String], in scope: @escaping @Sendable (SourceFile) -> Bool,
        except exceptions: [String: String] = [:], inCode: Bool = true
    ) -> Rule {
        Rule(scope: scope, exceptions: exceptions) { file in
            guard words.contains(where: { file.text.contains($0) }) else { return [] }
            return (inCode ? file.code : file.lines).enumerated().compactMap { index, line in
                guard words.contains(where: { line.contains($0) }), let found = line.first(matching: pattern) else {
                    return nil
                }
                return Finding(path: file.path, line: index + 1, what: "contains \(found)")
            }
        }
    }
}

extension String {
    /// Returns the first match of a regular expression. An invalid expression counts as a match, so that it is noticed.
    func first(matching pattern: String) -> String? {
        do {
            // Simple word boundaries, because by Unicode's rules a word may continue after a full stop.
            return try firstMatch(of: Regex(pattern).wordBoundaryKind(.simple)).map { String(self[$0.range]) }
        } catch {
            return "an invalid expression: \(pattern)"
        }
    }
}
