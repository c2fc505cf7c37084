import Foundation

/// The repository's own text.
struct Repository {
    /// One file: its path from the root, and its lines.
    struct File {
        let path: String
        let lines: [String]
        var text: String { lines.joined(separator: "\n") }
    }

    let root: URL
    let files: [File]

    init() throws {
        root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        var files: [File] = []
        for top in ["Services", "Shared", "Tests", "deploy", ".ci"] {
            guard let walker = FileManager.default.enumerator(atPath: root.appendingPathComponent(top).path) else {
                continue
            }
            for case let name as String in walker where Self.isText(name) {
                files.append(try Self.file("\(top)/\(name)", below: root))
            }
        }
        for name in ["Package.swift", "README.md", "ARCHITECTURE.md"] { files.append(try Self.file(name, below: root)) }
        self.files = files.sorted { $0.path < $1.path }
    }

    /// Swift files below a folder.
    func swift(_ folder: String) -> [File] {
        files.filter { $0.path.hasPrefix(folder) && $0.path.hasSuffix(".swift") }
    }

    var product: [File] { swift("Shared/") + swift("Services/") }

    /// Lines that a rule finds fault with, as `path:line: text`.
    static func faults(in files: [File], _ isFault: (String) -> Bool) -> [String] {
        files.flatMap { file in
            file.lines.enumerated().filter { isFault($0.element) }.map {
                "\(file.path):\($0.offset + 1): \($0.element)"
            }
        }
    }

    private static func file(_ path: String, below root: URL) throws -> File {
        let text = try String(contentsOf: root.appendingPathComponent(path), encoding: .utf8)
        return File(path: path, lines: text.components(separatedBy: "\n"))
    }

    private static func isText(_ name: String) -> Bool {
        let isCache = name.contains("__pycache__")
        let endings = [
            ".swift", ".md", ".h", ".c", ".cpp", ".modulemap", ".js", ".css", ".html", ".py", ".sh", ".json",
        ]
        return !isCache
            && (endings.contains { name.hasSuffix($0) } || ["up", "down", "test", "run", "packages"].contains(name))
    }
}
