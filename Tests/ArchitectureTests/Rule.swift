import Testing

/// What breaks a rule, and where.
struct Finding: CustomStringConvertible, Sendable {
    let path: String
    /// Counting from 1; 0 is the file as a whole.
    let line: Int
    let what: String

    var description: String { line == 0 ? "\(path): \(what)" : "\(path):\(line): \(what)" }
}

/// A rule that single files keep or break.
struct Rule: Sendable {
    /// Which files it speaks of.
    let scope: @Sendable (SourceFile) -> Bool
    /// Files that may break it, each with the reason.
    var exceptions: [String: String] = [:]
    let find: @Sendable (SourceFile) -> [Finding]

    /// What breaks the rule in a file: nothing where it does not speak of it or grants an exception.
    func findings(in file: SourceFile) -> [Finding] {
        scope(file) && exceptions[file.path] == nil ? find(file) : []
    }

    /// Proves that the rule catches what is bad and spares what is good, then holds it against the whole repository.
    ///
    /// - Parameter floor: how many files it must speak of at least, so that a rule about nothing is noticed.
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
        #expect(files.count >= floor, "speaks of \(files.count) files only", sourceLocation: sourceLocation)
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
    /// No line of code may match a pattern. A file without any of the `words` is not read line by line.
    static func never(
        _ pattern: String, words: [String], in scope: @escaping @Sendable (SourceFile) -> Bool,
        except exceptions: [String: String] = [:], inCode: Bool = true
    ) -> Rule {
        Rule(scope: scope, exceptions: exceptions) { file in
            guard words.contains(where: { file.text.contains($0) }) else { return [] }
            return (inCode ? file.code : file.lines).enumerated().compactMap { index, line in
                guard words.contains(where: { line.contains($0) }), let said = line.first(matching: pattern) else {
                    return nil
                }
                return Finding(path: file.path, line: index + 1, what: "says \(said)")
            }
        }
    }
}

extension String {
    /// The first place that matches a regular expression; a wrong expression is told as a match, so that it is noticed.
    func first(matching pattern: String) -> String? {
        do {
            // Simple: in Unicode's sense a word may go on behind a full stop.
            return try firstMatch(of: Regex(pattern).wordBoundaryKind(.simple)).map { String(self[$0.range]) }
        } catch {
            return "nothing readable: \(pattern)"
        }
    }
}
