import Testing

/// Checks ARCHITECTURE.md and the manifest against the repository.
@Suite("The architecture map")
struct MapTests {
    private let repository: Repository
    private let manifest: Manifest
    private let map: SourceFile

    init() throws {
        repository = try Repository.here.get()
        manifest = Manifest(try #require(repository.file("Package.swift")).text)
        map = try #require(repository.file("ARCHITECTURE.md"))
    }

    @Test func `no target depends on a higher layer or on its own layer`() throws {
        let bad = Manifest(
            """
            let ground: [Target] = [ driver("JSON", over: "CSimdJSON"), shared("Wire", needs: ["Host"]) ]
            let plumbing: [Target] = [
                shared("EventStore", needs: ["EventBus"]), shared("Host", needs: ["Wire"]),
                shared("EventBus", needs: ["EventStore"]),
            ]
            let package = Package(name: "x", targets: [])
            """)
        let layers = ["JSON": 1, "Wire": 1, "EventStore": 3, "Host": 3, "EventBus": 3]
        #expect(
            bad.wrongDependencies(layers: layers).sorted() == [
                "EventBus → EventStore is on the same layer", "EventStore → EventBus is not declared above it",
                "EventStore → EventBus is on the same layer", "JSON → CSimdJSON is not declared above it",
                "Wire → Host is not declared above it", "Wire → Host is on a higher layer",
            ])
        let dependencies = manifest.targets.reduce(0) { $0 + $1.needs.count }
        print("manifest: \(manifest.targets.count) targets, \(dependencies) dependencies")
        #expect(manifest.targets.count >= 28)
        #expect(dependencies >= 90)
        #expect(manifest.wrongDependencies(layers: LayerMap(map.text, targets: manifest.targets).layers) == [])
    }

    @Test func `the map shows the layer of every target`() {
        let layers = LayerMap(map.text, targets: manifest.targets).layers
        let small = LayerMap(
            "L3  Plumbing  Host\nL1  Ground  JSON", targets: [.init(name: "Host", needs: [], isCLibrary: false)])
        #expect(small.layers["Host"] == 3)
        #expect(small.layers["JSON"] == nil)
        #expect(manifest.targets.map(\.name).filter { layers[$0] == nil } == [])
        #expect(layers["Wire"] == 1 && layers["Events"] == 2 && layers["Host"] == 3 && layers["TraceLedger"] == 4)
        #expect(layers["Console"] == 5 && layers["CZeroMQ"] == 0)
    }

    @Test func `each target imports only its declared dependencies`() throws {
        let needs = Dictionary(uniqueKeysWithValues: manifest.targets.map { ($0.name, Set($0.needs)) })
        let everywhere: Set = ["Swift", "Glibc", "Synchronization", "Observation", "Foundation"]
        let rule = Rule(scope: { $0.isProduct && !$0.path.contains("/Main/") }) { file in
            guard let target = file.target, let allowed = needs[target] else {
                return [Finding(path: file.path, line: 0, what: "belongs to no target of the manifest")]
            }
            return file.imports.filter { !allowed.contains($0.module) && !everywhere.contains($0.module) }.map {
                Finding(path: file.path, line: $0.line, what: "imports \($0.module), which \(target) does not declare")
            }
        }
        try rule.isKept(
            catching: [
                ("Shared/Wire/X.swift", "import Host"), ("Shared/Drivers/JSON/X.swift", "import Crypto"),
                ("Services/TraceLedger/Commands/X.swift", "@testable import SensorIngest"),
                ("Shared/Radio/X.swift", "import Events"), ("Shared/Nowhere/X.swift", ""),
            ], sparing: [("Shared/Wire/X.swift", "public import EventSourcing\nimport Crypto")], floor: 200)
    }

    @Test func `every file is in a known folder`() throws {
        try Rule.inKnownFolder(manifest).isKept(
            catching: [
                ("Services/TraceLedger/Lot.swift", ""), ("Services/TraceLedger/Stuff/Lot.swift", ""),
                ("Shared/X.swift", ""),
                ("Shared/Stuff/X.swift", ""), ("Tests/StuffTests/X.swift", ""), ("scripts/x.sh", ""),
                ("Services/TraceLedger/Radio/X.swift", ""), ("Tests/X.swift", ""),
            ],
            sparing: [
                ("Services/TraceLedger/Commands/X.swift", ""), ("Shared/C/CSQLite/shim.h", ""),
                ("Tests/WireTests/X.swift", ""),
                ("Services/SyncGateway/Web/js/x.js", ""), ("deploy/up", ""), ("Tests/Fixtures/Events/x.json", ""),
            ], floor: 400)
    }

    @Test func `the top-level folder contains only known files`() {
        let there = Set(repository.topLevel.filter { !$0.hasPrefix(".") })
        let must: Set = [
            "Package.swift", "README.md", "ARCHITECTURE.md", "LICENSE", "Services", "Shared", "Tests",
            "deploy",
        ]
        #expect(must.subtracting(there).sorted() == [])
        let may: Set = ["compose.yaml", "CHANGELOG.md", "CONTRIBUTING.md"]
        #expect(there.subtracting(must).subtracting(may).sorted() == [])
        let hidden = repository.topLevel.filter { $0.hasPrefix(".") }
        let settings: Set = [
            ".ci", ".gitignore", ".swift-format", ".dockerignore", ".editorconfig", ".git-blame-ignore-revs",
        ]
        #expect(Set(hidden).subtracting(settings).sorted() == [])
    }

    @Test func `the map names only tests that exist`() throws {
        func missing(_ text: String) -> [String] {
            text.matches(of: #/`(\w+Tests)(?:\/(\w+))?`/#).compactMap { match in
                let folder = "Tests/\(match.1)/"
                let isThere =
                    match.2.map { suite in repository.file("\(folder)\(suite).swift") != nil }
                    ?? repository.files.contains { $0.path.hasPrefix(folder) }
                return isThere ? nil : String(match.output.0)
            }
        }
        #expect(missing("kept by `NoTests` and `ArchitectureTests/NoneTests`, not `ArchitectureTests`").count == 2)
        #expect(map.text.matches(of: #/`\w+Tests/#).count >= 8)
        #expect(missing(map.text) == [])
        // Every rule in its table names the test that checks it.
        let rules = map.lines.filter { $0.first(matching: #"^\| \d+\. "#) != nil }
        #expect(rules.count >= 7)
        #expect(rules.filter { !$0.contains("Tests") } == [])
    }

    @Test func `the contributing guide names only files that exist`() throws {
        func missing(_ text: String) -> [String] {
            text.matches(of: #/`((?:Services|Shared|Tests|deploy)\/[^`\s<>]+)/#).map { String($0.1) }.filter { named in
                let path = named.hasSuffix("/") ? String(named.dropLast()) : named
                return !repository.files.contains { $0.path == path || $0.path.hasPrefix("\(path)/") }
            }
        }
        #expect(missing("`Shared/Events`, `deploy/test --quick`, `Tests/<Name>Tests`, `Shared/None.swift`").count == 1)
        let guide = try #require(repository.file("CONTRIBUTING.md")).text
        #expect(guide.matches(of: #/`(Services|Shared|Tests)\//#).count >= 20)
        #expect(missing(guide) == [])
    }

    @Test func `each service page lists the events of its code`() throws {
        let events = repository.events
        let known = Set(events.values)
        #expect(known.count >= 28)
        let bad = ServicePage(
            SourceFile(
                path: "README.md", text: "## Publishes\n`farm.furrow.trace.no-such.v1`\n## Consumes\n## Decides\n"))
        let faults = bad.faults(known: ["farm.furrow.a.b.v1"], made: ["farm.furrow.a.b.v1"])
        #expect(faults.count == 5, "\(faults)")
        for service in ["SensorIngest", "TraceLedger", "CatalogOrders", "Recommender", "SyncGateway"] {
            let file = try #require(repository.file("Services/\(service)/README.md"), "\(service) has no page")
            let made = repository.made(by: service, of: events)
            #expect(!made.isEmpty)
            #expect(ServicePage(file).faults(known: known, made: made) == [])
        }
    }
}
