import Testing

/// The rules of the architecture, checked on the repository's own text. Each rule must first catch a bad example.
@Suite("The architecture")
struct ArchitectureTests {
    @Test func `unsafe code is allowed in drivers only`() throws {
        try Rule.safe.isKept(
            catching: [
                ("Shared/Wire/X.swift", "let a = unsafe b()"),
                ("Services/TraceLedger/X.swift", "final class A: @unchecked Sendable {}"),
                ("Shared/Host/X.swift", "nonisolated(unsafe) var a = 1"),
            ],
            sparing: [
                ("Shared/Drivers/ZeroMQ/X.swift", "let a = unsafe b()"),
                ("Shared/Wire/X.swift", "// not unsafe at all"),
                ("Shared/Wire/X.swift", "let a = \"unsafe\""),
            ], floor: 200)
    }

    @Test func `product code hides no errors and traps nowhere`() throws {
        try Rule.honest.isKept(
            catching: [
                ("Shared/Wire/X.swift", "let a = try? b()"), ("Services/Console/X.swift", "let a = try! b()"),
                ("Shared/Wire/X.swift", "let a = b as! C"), ("Shared/Drivers/JSON/X.swift", "fatalError()"),
            ],
            sparing: [
                ("Shared/Wire/X.swift", "let a = \"try? b\" // try! c"), ("Tests/WireTests/X.swift", "try? b()"),
            ],
            floor: 200)
    }

    @Test func `product code does not print, because the console's output belongs to a driver`() throws {
        try Rule.silent.isKept(
            catching: [("Shared/Wire/X.swift", "        print(\"a\")"), ("Services/Console/X.swift", "dump(a)")],
            sparing: [("Services/TraceLedger/X.swift", "case .printLabels: try labels.print(a)")], floor: 200)
    }

    @Test func `comments contain no open tasks`() throws {
        try Rule.finished.isKept(
            catching: [
                ("Shared/Wire/X.swift", "// TO" + "DO: later"), ("deploy/up", "# FIX" + "ME"),
                ("Services/SyncGateway/Web/js/x.js", "/* TO" + "DO */"),
            ], floor: 400)
    }

    @Test func `types and files have no catch-all names`() throws {
        try Rule.noDrawers.isKept(
            catching: [
                ("Shared/Wire/StringUtils.swift", ""), ("Shared/Wire/A+B.swift", ""),
                ("Shared/Wire/X.swift", "struct LotManager {}"), ("Tests/WireTests/X.swift", "enum TestHelper {}"),
            ], sparing: [("Shared/Wire/X.swift", "let files = FileManager.default")], floor: 300)
    }

    @Test func `product code does not import Foundation`() throws {
        try Rule.light.isKept(
            catching: [
                ("Shared/Wire/X.swift", "public import Foundation"), ("Services/Console/X.swift", "import Dispatch"),
                ("Shared/Host/X.swift", "import FoundationEssentials"),
            ],
            sparing: [
                ("Shared/Wire/X.swift", "// import Foundation"), ("Tests/WireTests/X.swift", "import Foundation"),
            ],
            floor: 200)
    }

    @Test func `decisions, projections, events and decoders are pure`() throws {
        try Rule.pure.isKept(
            catching: [
                ("Services/TraceLedger/Decisions/X.swift", "let now = Clock.realMicroseconds()"),
                ("Services/TraceLedger/Projections/X.swift", "let id = Random.bytes(16)"),
                ("Shared/Events/Trace/X.swift", "Task { await a() }"),
                ("Shared/Radio/X.swift", "Int.random(in: 0..<3)"),
                ("Services/TraceLedger/Projections/X.swift", "Task.detached { a() }"),
            ],
            sparing: [
                ("Services/TraceLedger/Wiring/X.swift", "Clock.monotonicMicroseconds()"),
                ("Services/TraceLedger/Projections/X.swift", "// Clock.now"),
            ], floor: 100)
        try Rule.pureImports.isKept(
            catching: [
                ("Services/TraceLedger/Decisions/X.swift", "import System"),
                ("Services/TraceLedger/Projections/X.swift", "public import EventStore"),
                ("Shared/Events/X.swift", "import struct Host.Request"),
            ], sparing: [("Services/TraceLedger/Commands/X.swift", "import Host")], floor: 100)
    }

    @Test func `a switch over event cases has no default`() throws {
        let names = Rule.factCases(in: try Repository.here.get())
        #expect(names.count >= 38)
        #expect(
            names.isSuperset(of: ["measured", "lotSplit", "personErased", "epochBegan", "sensors", "plantProtection"]))
        try Rule.answersEvery(of: names).isKept(
            catching: [
                (
                    "Services/TraceLedger/Projections/X.swift",
                    "switch fact {\ncase .harvested(let a): b(a)\ndefault: break\n}"
                ),
                (
                    "Services/TraceLedger/Decisions/X.swift",
                    "    let a =\n        switch fact {\n        case .journal, .sync: 1\n        case _: 2\n        }"
                ),
            ],
            sparing: [
                (
                    "Services/TraceLedger/Projections/X.swift",
                    "switch fact {\ncase .harvested(let a):\n    switch a {\n    default: break\n    }\ncase .stored: break\n}"
                ),
                ("Services/TraceLedger/Projections/X.swift", "switch byte {\ncase 1: a()\ndefault: b()\n}"),
            ], floor: 100)
    }

    @Test func `files stay within the line limit`() throws {
        let long = String(repeating: "a\n", count: Rule.linesAtMost + 1)
        try Rule.shortFiles.isKept(
            catching: [
                ("Shared/Wire/X.swift", long), ("Services/SyncGateway/Web/js/x.js", long), ("deploy/x", "#!\n" + long),
            ],
            sparing: [("Shared/Wire/X.swift", String(long.dropLast(2)))], floor: 400)
    }

    @Test func `lines stay within the column limit`() throws {
        let long = String(repeating: "a", count: Rule.columnsAtMost + 1)
        try Rule.narrowLines.isKept(
            catching: [
                ("Shared/Wire/X.swift", long), ("Tests/WireTests/X.swift", "// " + long), ("Tests/Browser/x.py", long),
            ],
            sparing: [
                ("Shared/Wire/X.swift", "let a = \"\(long)\""), ("Shared/Wire/X.swift", "let a = #\"\"\(long)\"\"#"),
            ],
            floor: 400)
    }

    @Test func `every type has a doc comment`() throws {
        try Rule.documented.isKept(
            catching: [
                ("Shared/Wire/X.swift", "public struct A {}"), ("Services/Console/X.swift", "enum A {}"),
                ("Shared/Wire/X.swift", "/// About A.\nstruct A {\n    public enum B { case c }\n}"),
                ("Shared/Wire/X.swift", "// Not a sentence of documentation.\n@frozen\nfinal class A {}"),
            ],
            sparing: [
                ("Shared/Wire/X.swift", "/// About A.\n@safe\npublic final class A {}"),
                ("Shared/Wire/X.swift", "private struct A {}"),
            ], floor: 200)
    }

    @Test func `the main file of each service has a few lines`() throws {
        try Rule.tinyMains.isKept(
            catching: [("Services/X/Main/main.swift", String(repeating: "a\n", count: 11))], floor: 3)
    }

    @Test func `files name no machine-specific paths or package hosts`() throws {
        try Rule.impersonal.isKept(
            catching: [
                ("README.md", "see /wo" + "rk/main"), ("deploy/up", "curl https://pypi" + ".org/x"),
                ("Tests/X/x.py", "cd /ro" + "ot/a"),
            ], sparing: [("deploy/up", "apt-get install x")], floor: 400)
    }
}
