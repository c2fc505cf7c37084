import Testing

/// Checks the documents against the repository.
@Suite("The documents")
struct DocumentTests {
    private static let mapLinesAtMost = 200
    private static let wordsAtMost = 25
    private static let filesAtMost = 60
    /// The pages about one topic each, beside its code.
    private static let topics = ["AUDIT", "REBUILD", "PARKING", "RETENTION", "BACKUP", "SECURITY", "SEALING"]

    private let repository: Repository
    private let map: SourceFile
    private let readme: SourceFile

    init() throws {
        repository = try Repository.here.get()
        map = try #require(repository.file("ARCHITECTURE.md"))
        readme = try #require(repository.file("README.md"))
    }

    @Test func `the architecture map has at most 200 lines`() {
        let count = map.lines.count - (map.text.hasSuffix("\n") ? 1 : 0)
        #expect(count >= 100)
        #expect(count <= Self.mapLinesAtMost)
    }

    @Test func `the map and the topic pages have sentences of at most 25 words`() throws {
        func long(_ page: SourceFile) -> [String] {
            page.sentences.filter { $0.split(separator: " ").count > Self.wordsAtMost }
        }
        let words = Array(repeating: "word", count: 13).joined(separator: " ")
        let bad = "# Title \(words)\n\(words)\n\(words)\n\n| \(words) \(words) | a |\n- \(words)\n  \(words)\n"
        #expect(long(SourceFile(path: "X.md", text: bad)).count == 3)
        let good =
            "\(words).\n\(words)\n\n- \(words)\n- \(words)\n\n```\n\(words) \(words)\n```\n| \(words) | \(words) |\n"
        #expect(long(SourceFile(path: "X.md", text: good)) == [])
        for page in [map] + (try topicPages()) {
            #expect(page.sentences.count >= 10)
            #expect(long(page) == [], "\(page.path)")
        }
    }

    @Test func `every invariant of the map names a test that exists`() {
        func unchecked(_ text: String) -> [String] {
            text.split(separator: "\n").map(String.init).filter { $0.first(matching: #"^\| \d+\. "#) != nil }.filter {
                row in
                let page = SourceFile(path: "X.md", text: row)
                return page.namedPaths.filter { $0.hasPrefix("Tests/") && isThere($0) }.isEmpty
            }
        }
        #expect(
            unchecked("| 1. A. | `ArchitectureTests` |\n| 2. B. | `NoTests/Absent` |\n| 3. C. | a person |").count == 2)
        #expect(map.lines.filter { $0.first(matching: #"^\| \d+\. "#) != nil }.count >= 10)
        #expect(unchecked(map.text) == [])
    }

    @Test func `every page names only files and tests that exist`() throws {
        func missing(_ page: SourceFile) -> [String] { page.namedPaths.filter { !isThere($0) } }
        let bad = SourceFile(
            path: "Shared/X.md",
            text: "`Shared/None.swift` `NoTests` `ArchitectureTests/None` [a](None.md) `Shared/Host` [b](Wire)")
        #expect(missing(bad).count == 4, "\(missing(bad))")
        let pages = repository.files.filter { $0.path.hasSuffix(".md") && $0.name != "CHANGELOG.md" }
        #expect(pages.count >= 18)
        #expect(pages.reduce(0) { $0 + $1.namedPaths.count } >= 250)
        for page in pages { #expect(missing(page) == [], "\(page.path)") }
    }

    @Test func `each topic has one page, beside its code`() throws {
        let pages = try topicPages()
        #expect(pages.map(\.path).filter { !$0.hasPrefix("Shared/") && !$0.hasPrefix("Services/") } == [])
        #expect(pages.filter { !map.text.contains("](\($0.path))") }.map(\.path) == [])
    }

    @Test func `the README shows the two commands on its first screen and a section for each reader`() {
        let screen = readme.lines.prefix(24)
        #expect(screen.contains { $0.hasPrefix("deploy/up") })
        #expect(screen.contains { $0.hasPrefix("deploy/test") })
        let sections = readme.lines.filter { $0.hasPrefix("## ") }.map { $0.dropFirst(3) }
        #expect(sections.prefix(5) == ["Try", "Run", "Operate", "Build on", "Change"])
    }

    @Test(arguments: ["A temperature from radio to page", "An order"])
    func `each step of the README's walks names a file and a function of it`(heading: String) {
        let bad = Walk(
            SourceFile(
                path: "README.md",
                text: """
                    ### Other
                    | a | `b` | `c` |
                    ### Walk
                    | step | file | function |
                    | --- | --- | --- |
                    | A. | `Shared/None.swift` | `read` |
                    | B. | `Shared/X.swift` | `rea` |
                    | C. | `Shared/X.swift` | `read` |
                    | D. | `web/x.js` | `show` |
                    | E. | `web/x.js` | `draw` |
                    | F. | `web/x.js` | `hide` |
                    | G. | Shared/X.swift | read |
                    """), under: "Walk")
        let known = [
            "Shared/X.swift": "/// func rea()\nmutating func read() {}",
            "web/x.js": "export async function show() {\n    draw(a) {\n    hide(a);",
        ]
        let faults = bad.faults { path in known[path].map { SourceFile(path: path, text: $0) } }
        #expect(bad.steps.count == 6)
        #expect(faults.count == 4, "\(faults)")

        let walk = Walk(readme, under: heading)
        print("\(heading): \(walk.steps.count) steps, \(walk.files) files")
        #expect(walk.steps.count >= 20)
        #expect(walk.files >= 20)
        #expect(walk.files <= Self.filesAtMost)
        #expect(walk.faults(in: repository.file) == [])
    }

    private func topicPages() throws -> [SourceFile] {
        try Self.topics.map { topic in
            let pages = repository.files.filter { $0.name == "\(topic).md" }
            #expect(pages.count == 1, "\(topic) has \(pages.count) pages")
            return try #require(pages.first)
        }
    }

    private func isThere(_ named: String) -> Bool {
        let path = named.hasSuffix("/") ? String(named.dropLast()) : named
        return repository.files.contains { $0.path == path || $0.path.hasPrefix("\(path)/") }
    }
}
