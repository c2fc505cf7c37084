import Foundation
import Testing

@Suite("The house")
struct RuleTests {
    let repository: Repository

    init() throws {
        repository = try Repository.read.get()
    }

    /// Code without its comments and strings, so that words about a thing are not the thing.
    static func code(_ line: String) -> String {
        var code = line
        if let comment = code.range(of: "//") { code.removeSubrange(comment.lowerBound...) }
        return code.replacing(/"[^"]*"/, with: "\"\"")
    }

    static func contains(_ line: String, anyOf words: [String]) -> Bool {
        guard words.contains(where: { line.contains($0) }) else { return false }
        let code = code(line)
        return words.contains { code.contains($0) }
    }

    @Test func `keeps unsafe code in the drivers`() {
        let words = ["unsafe ", "@unchecked", "nonisolated(unsafe)"]
        #expect(Self.contains("let x = unsafe y", anyOf: words))
        // The log writes to standard error itself: it must not depend on a driver that could want to log.
        let rooms = repository.product.filter {
            !$0.path.hasPrefix("Shared/Drivers/") && $0.path != "Shared/Telemetry/StandardError.swift"
        }
        #expect(rooms.count > 200)
        #expect(Repository.faults(in: rooms) { Self.contains($0, anyOf: words) } == [])
    }

    @Test func `swallows no error, forces nothing and prints nothing`() {
        let words = [" try? ", " try! ", " as! ", "fatalError(", " print("]
        #expect(Self.contains("let a = try? b()", anyOf: words))
        #expect(Repository.faults(in: repository.product) { Self.contains($0, anyOf: words) } == [])
    }

    @Test func `leaves no work for later in a comment and has no junk drawers`() {
        let marks = ["TO" + "DO", "FIX" + "ME", "X" + "XX"]
        #expect(Repository.faults(in: repository.product) { line in marks.contains { line.contains($0) } } == [])
        let drawers = ["Utils", "Helper", "Manager", "+"]
        let named = repository.product.map(\.path).filter { path in
            let name = path.split(separator: "/").last ?? ""
            return drawers.contains { name.contains($0) }
        }
        #expect(named == [])
    }

    @Test func `needs no Foundation`() {
        let words = ["import Foundation"]
        // Recursive removal of test folders is the one thing the System driver does not offer.
        let rooms = repository.product.filter { $0.path != "Shared/TestKit/TemporaryDirectory.swift" }
        #expect(Repository.faults(in: rooms) { Self.contains($0, anyOf: words) } == [])
    }

    /// Lines are swift-format's to measure.
    @Test func `keeps files short`() {
        let files = repository.product + repository.swift("Tests/")
        #expect(files.count > 300)
        #expect(files.filter { $0.lines.count > 500 }.map(\.path) == [])
    }

    @Test func `says of every public type what it is for`() {
        var undocumented: [String] = []
        var types = 0
        for file in repository.product {
            for (index, line) in file.lines.enumerated()
            where line.contains(#/^(@safe )?(public |package )?(final )?(struct|class|enum|protocol|actor) /#) {
                types += 1
                var above = index - 1
                while above >= 0, file.lines[above].hasPrefix("@") { above -= 1 }
                if above < 0 || !file.lines[above].hasPrefix("///") {
                    undocumented.append("\(file.path):\(index + 1): \(line)")
                }
            }
        }
        print("house: \(types) types, each with a sentence")
        #expect(types > 300)
        #expect(undocumented == [])
    }

    @Test func `lets rules and views see nothing but what they are given`() {
        let words = ["Clock.", "Random.", "Task ", "HouseClock.now", "Machine."]
        #expect(Self.contains("let now = Clock.realMicroseconds()", anyOf: words))
        let pure = repository.product.filter { file in
            file.path.contains("/Views/") || file.path.contains("/Decisions/") || file.path.contains("/Radio/")
                || file.path.hasPrefix("Shared/Events/") || file.path.hasPrefix("Shared/EventSourcing/")
                || file.path.hasPrefix("Shared/Vocabulary/") || file.path.hasPrefix("Shared/Wire/")
        }
        #expect(pure.count > 100)
        #expect(Repository.faults(in: pure) { Self.contains($0, anyOf: words) } == [])
    }

    @Test func `imports upwards nowhere`() {
        // Lower rooms first; a room imports only rooms of a lower floor, or of the floor's order as declared.
        let floors: [String: Int] = [
            "ZeroMQ": 1, "SQLite": 1, "Postgres": 1, "HTTP": 1, "JSON": 1, "Crypto": 1, "Print": 1, "System": 1,
            "Telemetry": 1, "Vocabulary": 2, "EventSourcing": 3, "Wire": 4, "Events": 5, "EventStore": 6, "EventBus": 6,
            "TestKit": 7, "Host": 7, "Radio": 3, "SensorIngest": 8, "TraceLedger": 8, "SyncGateway": 8, "Console": 9,
        ]
        var imports = 0
        var upward: [String] = []
        for file in repository.product {
            guard let room = Self.room(of: file.path), let floor = floors[room] else { continue }
            for line in file.lines {
                guard let match = line.firstMatch(of: /^(?:public |internal |package )?import (\w+)/),
                    let other = floors[String(match.1)], String(match.1) != room
                else { continue }
                imports += 1
                if other >= floor { upward.append("\(file.path) imports \(match.1)") }
            }
        }
        print("house: \(imports) imports look down")
        #expect(imports > 500)
        #expect(upward == [])
    }

    static func room(of path: String) -> String? {
        let parts = path.split(separator: "/").map(String.init)
        if path.hasPrefix("Services/SensorIngest/Radio/") { return "Radio" }
        if path.hasPrefix("Shared/Drivers/") { return parts[2] }
        return parts.count > 2 ? parts[1] : nil
    }

    @Test func `has a page for every service that names only events there are`() throws {
        let known = Set(
            repository.swift("Shared/").flatMap { file in
                file.lines.compactMap { $0.firstMatch(of: /"(farm\.furrow\.[a-z.-]+\.v\d+)"/).map { String($0.1) } }
            })
        #expect(known.count > 20)
        for service in ["SensorIngest", "TraceLedger", "SyncGateway"] {
            let page = try #require(
                repository.files.first { $0.path == "Services/\(service)/README.md" }, "\(service) has no page")
            for heading in ["Hears", "Decides", "Tells", "Keeps"] {
                #expect(page.text.contains(heading), "\(service): \(heading)")
            }
            for match in page.text.matches(of: /farm\.furrow\.[a-z.-]+\.v\d+/) {
                #expect(known.contains(String(match.output)), "\(service) names \(match.output)")
            }
        }
    }

    @Test func `names in its map only tests there are`() {
        let map = repository.files.first { $0.path == "ARCHITECTURE.md" }
        let named = map?.text.matches(of: /`(\w+Tests)(?:\/(\w+))?`/).map { ($0.1, $0.2) } ?? []
        #expect(named.count >= 5)
        for (room, suite) in named {
            let folder = "Tests/\(room)/"
            #expect(repository.files.contains { $0.path.hasPrefix(folder) }, "\(folder)")
            if let suite {
                #expect(repository.files.contains { $0.path == "\(folder)\(suite).swift" }, "\(folder)\(suite)")
            }
        }
    }

    @Test func `speaks of the product alone`() {
        let foreign = ["/work" + "/", "/tmp/" + "furrow/", "//deb." + "debian", "//pypi." + "org"]
        #expect(Repository.faults(in: repository.files) { line in foreign.contains { line.contains($0) } } == [])
    }

    @Test func `keeps the shape of its top level`() throws {
        let allowed: Set = [
            "Package.swift", "README.md", "ARCHITECTURE.md", "LICENSE", "Services", "Shared", "Tests", "deploy",
            "compose.yaml",
        ]
        let entries = try FileManager.default.contentsOfDirectory(atPath: repository.root.path)
        #expect(entries.filter { !$0.hasPrefix(".") && !allowed.contains($0) } == [])
    }
}
