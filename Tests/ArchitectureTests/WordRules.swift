/// Rules about the words in code.
extension Rule {
    static let safe = never(
        #"\bunsafe\b|@unchecked|nonisolated\(unsafe\)"#, words: ["unsafe", "@unchecked"],
        in: { $0.isProduct && !$0.path.hasPrefix("Shared/Drivers/") },
        except: [
            "Shared/Telemetry/StandardError.swift": "the log writes to standard error itself: a driver may want to log"
        ])

    static let honest = never(
        #"\btry[?!]|\bas!|\bfatalError\b"#, words: ["try?", "try!", "as!", "fatalError"], in: \.isProduct)

    static let silent = never(
        #"(^|[^.\w])(print|debugPrint|dump)\("#, words: ["print(", "debugPrint(", "dump("], in: \.isProduct)

    /// Split, so that this file does not violate its own rule.
    private static let marks = ["TO" + "DO", "FIX" + "ME", "XX" + "X:", "HA" + "CK:"]

    static let finished = never(
        marks.map { "\\b\($0)" }.joined(separator: "|"), words: marks,
        in: { !$0.path.hasPrefix("Tests/Fixtures/") && $0.name != "LICENSE" }, inCode: false)

    static let noDrawers = Rule(scope: { $0.isSwift }) { file in
        let drawers = "(Utils?|Utilities|Helpers?|Manager|Impl|Misc)\\b"
        var findings: [Finding] = []
        if let name = file.name.first(matching: drawers) ?? (file.name.contains("+") ? "+" : nil) {
            findings.append(Finding(path: file.path, line: 0, what: "is named \(name)"))
        }
        let hints = ["Util", "Helper", "Manager", "Impl", "Misc"]
        guard hints.contains(where: { file.text.contains($0) }) else { return findings }
        for (index, line) in file.code.enumerated() where hints.contains(where: { line.contains($0) }) {
            let declares = "\\b(struct|class|enum|protocol|actor|typealias) \\w*" + drawers
            guard let found = line.first(matching: declares) else { continue }
            findings.append(Finding(path: file.path, line: index + 1, what: "declares \(found)"))
        }
        return findings
    }

    static let light = never(
        #"^\s*(public |internal |package |@preconcurrency )*import (Foundation\w*|Dispatch|XCTest)\b"#,
        words: ["import Foundation", "import Dispatch", "import XCTest"], in: \.isProduct,
        except: ["Shared/TestKit/TemporaryDirectory.swift": "only tests link it, and it removes whole folders"])

    /// Whether a file must be pure: decisions, projections, decoders, and the modules of values and events.
    static func isPure(_ file: SourceFile) -> Bool {
        file.isProduct
            && (file.path.contains("/Decisions/") || file.path.contains("/Projections/")
                || ["Radio", "Vocabulary", "EventSourcing", "Wire", "Events"].contains {
                    file.path.hasPrefix("Shared/\($0)/")
                })
    }

    static let pure = never(
        #"\b(Clock|AdjustableClock|Random|Machine)\.|\bTask\b|\.random\(|SystemRandomNumberGenerator|\bDate\(\)|\bUUID\(\)"#,
        words: ["Clock", "Random", "random(", "Machine", "Task", "Date(", "UUID()"], in: isPure)

    /// The modules that pure files may import: each other, JSON, hashes and signatures, and mathematics.
    private static let pureModules: Set = [
        "JSON", "Crypto", "Vocabulary", "EventSourcing", "Wire", "Events", "Radio", "Glibc",
    ]

    static let pureImports = Rule(scope: isPure) { file in
        file.imports.filter { !pureModules.contains($0.module) }.map {
            Finding(path: file.path, line: $0.line, what: "imports \($0.module)")
        }
    }

    static let impersonal = never(
        machine.map { $0.replacing(".", with: "\\.") }.joined(separator: "|"), words: machine, in: { _ in true },
        inCode: false)

    /// Paths of development machines and package hosts, which `apt` and `pip` know by themselves.
    private static let machine = [
        "/wo" + "rk/", "/ro" + "ot/", "/tmp/fur" + "row/HOUSE", "pypi" + ".org", "python" + "hosted", "npm" + "js.",
        "crates" + ".io", "deb.de" + "bian", "swiftpackage" + "index",
    ]
}

extension SourceFile {
    var imports: [(module: String, line: Int)] {
        guard isSwift else { return [] }
        return code.enumerated().compactMap { index, line in
            guard line.contains("import ") else { return nil }
            let words = line.split(separator: " ").map(String.init)
            let kinds: Set = ["struct", "class", "enum", "protocol", "func", "typealias", "var", "let"]
            guard let at = words.firstIndex(of: "import"), at + 1 < words.count,
                words[..<at].allSatisfy({
                    $0.hasPrefix("@") || ["public", "internal", "package", "private"].contains($0)
                })
            else { return nil }
            let named = words[(at + 1)...].first { !kinds.contains($0) } ?? ""
            return (String(named.prefix { $0 != "." }), index + 1)
        }
    }
}
