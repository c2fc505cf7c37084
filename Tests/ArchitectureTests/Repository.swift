import Foundation

/// The text of the repository's files, read once.
struct Repository: Sendable {
    let root: URL
    let files: [SourceFile]
    /// The names in the root folder, dot files included.
    let topLevel: [String]

    static let here = Result { try Repository() }

    private init() throws {
        root =
            URL(filePath: #filePath).resolvingSymlinksInPath().deletingLastPathComponent()
            .appending(path: "../..").standardizedFileURL
        let paths = try Self.tracked(in: root) ?? Self.untracked(in: root)
        topLevel = Set(paths.compactMap { $0.split(separator: "/").first.map(String.init) }).sorted()
        var files: [SourceFile] = []
        for path in paths {
            guard let data = FileManager.default.contents(atPath: root.appending(path: path).path()) else { continue }
            files.append(SourceFile(path: path, text: String(decoding: data, as: UTF8.self)))
        }
        self.files = files.sorted { $0.path < $1.path }
    }

    /// Returns the paths that are tracked by git, so that other files are ignored; nil without git.
    private static func tracked(in root: URL) throws -> [String]? {
        let git = Process()
        git.executableURL = URL(filePath: "/usr/bin/env")
        git.arguments = ["git", "-C", root.path(), "ls-files", "-z"]
        let output = Pipe()
        (git.standardOutput, git.standardError) = (output, FileHandle.nullDevice)
        try git.run()
        let names = try output.fileHandleForReading.readToEnd() ?? Data()
        git.waitUntilExit()
        guard git.terminationStatus == 0, !names.isEmpty else { return nil }
        return names.split(separator: 0).map { String(decoding: $0, as: UTF8.self) }
    }

    private static func untracked(in root: URL) throws -> [String] {
        try FileManager.default.subpathsOfDirectory(atPath: root.path()).filter { path in
            !path.split(separator: "/").contains { isGenerated(String($0)) }
        }
    }

    /// Whether tools generated a file; `.gitignore` names the same.
    private static func isGenerated(_ name: String) -> Bool {
        [".git", ".build", "__pycache__", ".pytest_cache"].contains(name)
            || [".o", ".log", ".pyc"].contains { name.hasSuffix($0) }
    }

    func file(_ path: String) -> SourceFile? { files.first { $0.path == path } }
}

/// One file: its path below the root, and its text.
struct SourceFile: Sendable {
    let path: String
    let text: String
    let lines: [String]
    /// For Swift, the lines with blanks in place of comments and the contents of strings; for other files, the lines.
    let code: [String]
    /// The lines without the contents of strings.
    let unquoted: [String]

    init(path: String, text: String) {
        self.path = path
        self.text = text
        lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        guard path.hasSuffix(".swift") else {
            code = lines
            unquoted = lines.map { line in
                line.utf8.count <= Rule.columnsAtMost
                    ? line : line.replacing(#/"[^"]*"/#, with: "\"\"").replacing(#/'[^']*'/#, with: "''")
            }
            return
        }
        let blanked = SwiftText(text)
        (code, unquoted) = (blanked.code, blanked.unquoted)
    }

    var name: String { path.split(separator: "/").last.map(String.init) ?? path }
    var isSwift: Bool { path.hasSuffix(".swift") }
    /// Whether it is Swift code of the product, not of its tests.
    var isProduct: Bool { isSwift && (path.hasPrefix("Shared/") || path.hasPrefix("Services/")) }
    var isTest: Bool { path.hasPrefix("Tests/") }

    /// The target of this source file, such as `Wire` or `TraceLedger`; nil if it has none.
    var target: String? {
        let parts = path.split(separator: "/").map(String.init)
        guard isProduct, parts.count > 2 else { return nil }
        return parts[1] == "Drivers" || parts[1] == "C" ? parts[2] : parts[1]
    }
}
