/// Rules about the shape of files.
extension Rule {
    /// Whether people write the file line by line.
    private static func isWritten(_ file: SourceFile) -> Bool {
        let endings = [".swift", ".js", ".css", ".html", ".py", ".c", ".cpp", ".h", ".sh"]
        return endings.contains { file.path.hasSuffix($0) } || file.text.hasPrefix("#!")
    }

    static let linesAtMost = 400
    static let columnsAtMost = 120

    static let shortFiles = Rule(scope: { isWritten($0) && !$0.path.contains("/Generated/") }) { file in
        let count = file.lines.count - (file.text.hasSuffix("\n") ? 1 : 0)
        return count <= linesAtMost ? [] : [Finding(path: file.path, line: 0, what: "has \(count) lines")]
    }

    /// The contents of a string cannot be wrapped, so they do not count.
    static let narrowLines = Rule(scope: isWritten) { file in
        file.unquoted.enumerated().filter { $0.element.count > columnsAtMost }.map {
            Finding(path: file.path, line: $0.offset + 1, what: "has \($0.element.count) columns")
        }
    }

    /// Every type that is not private to a file has a doc comment.
    static let documented = Rule(scope: \.isProduct) { file in
        let declaration =
            #"^( {4})?(public |package |internal |final |indirect |@safe |@unsafe |nonisolated )*(struct|class|enum|protocol|actor) [A-Z`]"#
        return file.code.enumerated().compactMap { index, line in
            guard
                line.contains("struct ") || line.contains("class ") || line.contains("enum ")
                    || line.contains("protocol ") || line.contains("actor "), line.first(matching: declaration) != nil,
                !line.hasPrefix(" ") || line.contains("public ") && !line.hasSuffix("{}")
            else { return nil }
            var above = index - 1
            while above >= 0, file.lines[above].drop(while: { $0 == " " }).hasPrefix("@") { above -= 1 }
            guard above < 0 || !file.lines[above].drop(while: { $0 == " " }).hasPrefix("///") else { return nil }
            return Finding(path: file.path, line: index + 1, what: "has no doc comment for \(line.drop { $0 == " " })")
        }
    }

    static let tinyMains = Rule(scope: { $0.path.hasSuffix("/Main/main.swift") }) { file in
        let count = file.lines.filter { !$0.isEmpty }.count
        return count <= 10 ? [] : [Finding(path: file.path, line: 0, what: "has \(count) lines")]
    }

    // MARK: Folders

    private static let serviceFolders: Set = ["Commands", "Decisions", "Projections", "Queries", "Wiring", "Main"]
    /// Folders of one service only.
    private static let ownFolders: [String: Set<String>] = [
        "SyncGateway": [
            "Accounts", "Channels", "Forwarding", "HTTP", "Ingest", "Live", "Media", "Outbox", "Reference", "Routes",
            "Sync", "TLS", "Web",
        ],
        "RadioHub": ["Photographs"],
        "ProxyNode": ["Farms", "Pages", "Peers", "Requests"],
        "Console": ["Main", "Bench", "Simulation", "Supervisor", "Tools"],
    ]
    /// Files that may be in a service's own folder.
    private static let ownFiles: [String: Set<String>] = [
        "Console": ["Arguments.swift", "Command.swift", "Console.swift", "Terminal.swift"]
    ]
    private static let testFolders: Set = [
        "ArchitectureTests", "Fixtures", "Browser", "Pipeline", "Benchmarks", "Differential", "Simulation", "Faults",
        "Fuzz",
        "Examples", "Static",
    ]

    /// Requires that a file is in a folder with a known purpose.
    static func inKnownFolder(_ manifest: Manifest) -> Rule {
        let targets = Set(manifest.targets.map(\.name))
        return Rule(scope: { $0.path.contains("/") }) { file in
            let parts = file.path.split(separator: "/").map(String.init)
            let isKnown =
                switch parts[0] {
                case "deploy", ".ci": true
                case "Tests":
                    parts.count > 2
                        && (testFolders.contains(parts[1])
                            || parts[1].hasSuffix("Tests") && targets.contains(String(parts[1].dropLast(5))))
                case "Shared":
                    ["Drivers", "C"].contains(parts[1])
                        ? parts.count > 3 && targets.contains(parts[2]) : parts.count > 2 && targets.contains(parts[1])
                case "Services": parts.count > 2 && targets.contains(parts[1]) && isKnown(parts[1], Array(parts[2...]))
                default: false
                }
            return isKnown ? [] : [Finding(path: file.path, line: 0, what: "is in no known folder")]
        }
    }

    private static func isKnown(_ service: String, _ parts: [String]) -> Bool {
        if parts.count == 1 {
            return ["README.md", "\(service).swift"].contains(parts[0]) || parts[0].hasSuffix("Limits.swift")
                || ownFiles[service]?.contains(parts[0]) == true
        }
        if service == "Console" { return ownFolders[service]?.contains(parts[0]) == true }
        return serviceFolders.contains(parts[0]) || ownFolders[service]?.contains(parts[0]) == true
    }
}
