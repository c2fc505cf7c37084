import Foundation

/// The repository's own text, read once.
struct Repository: Sendable {
    let root: URL
    let files: [SourceFile]
    /// What stands beside `Services` and `Shared`, dot files included.
    let topLevel: [String]

    static let here = Result { try Repository() }

    private init() throws {
        root =
            URL(filePath: #filePath).resolvingSymlinksInPath().deletingLastPathComponent()
            .appending(path: "../..").standardizedFileURL
        let paths = try Self.tracked(in: root) ?? Self.lying(in: root)
        topLevel = Set(paths.compactMap { $0.split(separator: "/").first.map(String.init) }).sorted()
        var files: [SourceFile] = []
        for path in paths {
            guard let data = FileManager.default.contents(atPath: root.appending(path: path).path()) else { continue }
            files.append(SourceFile(path: path, text: String(decoding: data, as: UTF8.self)))
        }
        self.files = files.sorted { $0.path < $1.path }
    }

    /// What is committed or about to be: whatever else lies about is not of the house. Nil where there is no git.
    private static func tracked(in root: URL) throws -> [String]? {
        let git = Process()
        git.executableURL = URL(filePath: "/usr/bin/env")
        git.arguments = ["git", "-C", root.path(), "ls-files", "-z"]
        let told = Pipe()
        (git.standardOutput, git.standardError) = (told, FileHandle.nullDevice)
        try git.run()
        let names = try told.fileHandleForReading.readToEnd() ?? Data()
        git.waitUntilExit()
        guard git.terminationStatus == 0, !names.isEmpty else { return nil }
        return names.split(separator: 0).map { String(decoding: $0, as: UTF8.self) }
    }

    private static func lying(in root: URL) throws -> [String] {
        try FileManager.default.subpathsOfDirectory(atPath: root.path()).filter { path in
            !path.split(separator: "/").contains { isMade(String($0)) }
        }
    }

    /// Made by tools, not written by people; `.gitignore` names the same.
    private static func isMade(_ name: String) -> Bool {
        [".git", ".build", "__pycache__", ".pytest_cache"].contains(name)
            || [".o", ".log", ".pyc"].contains { name.hasSuffix($0) }
    }

    func file(_ path: String) -> SourceFile? { files.first { $0.path == path } }
}

/// One file: where it lies below the root, and what stands in it.
struct SourceFile: Sendable {
    let path: String
    let text: String
    let lines: [String]
    /// Of Swift: the lines with blanks where comments and the insides of strings were. Of anything else: the lines.
    let code: [String]
    /// The lines with nothing where the insides of strings were.
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
    /// Swift that is shipped, not what tests it.
    var isProduct: Bool { isSwift && (path.hasPrefix("Shared/") || path.hasPrefix("Services/")) }
    var isTest: Bool { path.hasPrefix("Tests/") }

    /// The target whose source this is: `Wire`, `TraceLedger`; nil where it is none's.
    var room: String? {
        let parts = path.split(separator: "/").map(String.init)
        guard isProduct, parts.count > 2 else { return nil }
        if path.hasPrefix("Services/SensorIngest/Radio/") { return "Radio" }
        return parts[1] == "Drivers" || parts[1] == "C" ? parts[2] : parts[1]
    }
}
