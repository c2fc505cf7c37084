import Testing

/// What `Package.swift` says of the rooms: their names in the order of their declaration, and the arrows between them.
struct Manifest: Sendable {
    struct Room: Sendable {
        let name: String
        let needs: [String]
        let isLibraryOfC: Bool
    }

    let rooms: [Room]

    /// Reads the declarations by their text: `shared("Wire", needs: ["JSON"])`; `words` and `language.names` in full.
    init(_ text: String) {
        // The functions behind the declarations are no declarations.
        let declarations = text.components(before: "\nlet package").joined(separator: "\n")
        var words: [String] = []
        if let line = text.split(separator: "\n").first(where: { $0.contains("var words: [String]") }) {
            words = Self.strings(in: String(line))
        }
        var rooms: [Room] = []
        var language: [String] = []
        for match in declarations.matches(
            of: #/(?:\b|\.)(clang|driver|shared|room|service|target)\(\s*(?:name: )?"(\w+)"/#)
        {
            let kind = String(match.1)
            let arguments = Self.arguments(of: declarations, from: match.range.lowerBound)
            let rest = arguments.firstRange(of: kind == "driver" ? "over:" : "needs:").map {
                String(arguments[$0.upperBound...])
            }
            let needed = rest?.components(before: "except:").first ?? ""
            var needs = kind == "clang" || kind == "target" ? [] : Self.strings(in: needed)
            if needed.contains("language.names") { needs = language + needs }
            if needed.first(matching: #"\bwords\b"#) != nil { needs += words }
            let room = Room(name: String(match.2), needs: needs, isLibraryOfC: kind == "clang" || kind == "target")
            if Self.isLanguage(declarations, before: match.range.lowerBound) { language.append(room.name) }
            rooms.append(room)
        }
        self.rooms = rooms
    }

    /// Arrows that go up, sideways, or nowhere.
    ///
    /// - Parameter floors: on which floor each room stands, as the map says.
    func wrongArrows(floors: [String: Int]) -> [String] {
        var declared: Set<String> = []
        var wrong: [String] = []
        for room in rooms {
            for need in room.needs {
                if !declared.contains(need) { wrong.append("\(room.name) → \(need) goes to no room declared above it") }
                guard let from = floors[room.name], let to = floors[need] else { continue }
                if to > from { wrong.append("\(room.name) → \(need) goes up") }
                if to == from, Self.neighbours[room.name]?.contains(need) != true {
                    wrong.append("\(room.name) → \(need) goes sideways")
                }
            }
            declared.insert(room.name)
        }
        return wrong
    }

    /// Rooms of one floor that may lean on each other, in this direction only.
    private static let neighbours: [String: Set<String>] = [
        "Vocabulary": ["JSON"], "EventSourcing": ["JSON", "Vocabulary"],
        "Wire": ["JSON", "Crypto", "Vocabulary", "EventSourcing"], "Host": ["EventStore", "EventBus"],
        "TestKit": ["EventStore"], "SensorIngest": ["Radio"],
    ]

    private static func isLanguage(_ text: String, before index: String.Index) -> Bool {
        let groups = text[..<index].matches(of: #/\nlet (\w+): \[Target\]/#)
        return groups.last.map { $0.1 == "language" } ?? false
    }

    /// The text between a call's parentheses.
    private static func arguments(of text: String, from start: String.Index) -> String {
        guard let open = text[start...].firstIndex(of: "(") else { return "" }
        var depth = 0
        for index in text[open...].indices {
            if text[index] == "(" { depth += 1 }
            if text[index] == ")" { depth -= 1 }
            if depth == 0 { return String(text[text.index(after: open)..<index]) }
        }
        return ""
    }

    private static func strings(in text: String) -> [String] {
        text.matches(of: #/"(\w+)"/#).map { String($0.1) }
    }
}

/// Which floor each room stands on, read from the map's picture of the layers.
struct FloorPlan: Sendable {
    let floors: [String: Int]

    /// Reads lines such as `L3  Plumbing    Host   EventStore   EventBus`; only names of rooms count.
    init(_ map: String, rooms: [Manifest.Room]) {
        let names = Set(rooms.map(\.name))
        // The tests' own tools stand beside the plumbing they test; the map leaves them out.
        var floors = ["TestKit": 3]
        for room in rooms where room.isLibraryOfC { floors[room.name] = 0 }
        for line in map.split(separator: "\n") {
            guard let match = line.firstMatch(of: #/^L(\d) /#), let floor = Int(match.1) else { continue }
            for word in line.matches(of: #/\w+/#) where names.contains(String(word.output)) {
                floors[String(word.output)] = floor
            }
        }
        self.floors = floors
    }
}

extension String {
    /// What stands before a separator, if it is there; else all of it.
    func components(before separator: String) -> [String] {
        [String(firstRange(of: separator).map { self[..<$0.lowerBound] } ?? self[...])]
    }
}
